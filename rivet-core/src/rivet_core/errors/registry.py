"""The registry of error codes: what each means, once, for the documentation and for tests.

A code never changes its meaning and is never used again for another one. A stranger's plugin may use codes of its own
that start with ``RIVET_PLUGIN_``.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from collections.abc import Mapping


@attrs.frozen
class CodeFacts:
    """One row of the error table.

    :param kind: the exception class's recovery: usage, environment, busy, integrity, drift, refusal, internal; or
        ``warning`` for what is told and ends nothing.
    :param meaning: one sentence for the user.
    """

    kind: str
    meaning: str


CODES: Mapping[str, CodeFacts] = MappingProxyType(
    {
        # -- command line and configuration
        "RIVET_CLI_EXPORT_UNKNOWN": CodeFacts("usage", "The named export is not in the configuration."),
        "RIVET_CLI_OPTION_UNSUPPORTED": CodeFacts("usage", "The option does not apply to this export or command."),
        "RIVET_CLI_VALUE_INVALID": CodeFacts("usage", "An option's value cannot be read."),
        "RIVET_CLI_OUTPUT_UNWRITABLE": CodeFacts("environment", "A report's file cannot be written."),
        "RIVET_CLI_PREFLIGHT_FAILED": CodeFacts("usage", "A check of doctor found something that must be mended."),
        "RIVET_CLI_PREFLIGHT_UNVERIFIED": CodeFacts(
            "environment", "A check of doctor could not be made now; it may be later."
        ),
        "RIVET_INIT_CONFIG_EXISTS": CodeFacts(
            "refusal", "The file that a configuration would be written to is already there."
        ),
        "RIVET_INIT_NO_TABLES": CodeFacts("usage", "There is no table to write an export for."),
        "RIVET_INIT_TABLE_AMBIGUOUS": CodeFacts("usage", "Several tables have the name that was given."),
        "RIVET_CONFIG_FILE_UNREADABLE": CodeFacts("environment", "The configuration file cannot be read."),
        "RIVET_CONFIG_YAML_INVALID": CodeFacts(
            "usage", "The configuration breaks the rules of YAML or of rivet's keys."
        ),
        "RIVET_CONFIG_SECRET_UNSET": CodeFacts("environment", "A variable that the configuration names is not set."),
        "RIVET_CONFIG_VALUE_INVALID": CodeFacts("usage", "A key of the configuration has a value that it cannot have."),
        "RIVET_CONFIG_MODE_SETTING_INVALID": CodeFacts("usage", "A key is given that the chosen mode would ignore."),
        "RIVET_CONFIG_KEY_UNSUPPORTED": CodeFacts("usage", "A known key that this rivet does not serve yet."),
        "RIVET_CONFIG_NO_EXPORTS": CodeFacts("usage", "The configuration lists no export."),
        "RIVET_CONFIG_EXPORT_SOURCE_INVALID": CodeFacts(
            "usage", "An export must read exactly one table, query or query file."
        ),
        "RIVET_CONFIG_COLUMN_OVERRIDE_TABLE_UNKNOWN": CodeFacts(
            "usage", "A column is named with a table that the export does not read."
        ),
        "RIVET_CONFIG_COLUMN_OVERRIDE_TYPE_INVALID": CodeFacts("usage", "A column override names no known type."),
        "RIVET_CONFIG_SOURCE_URL_SCHEME_MISMATCH": CodeFacts(
            "usage", "The scheme of the source's URL belongs to another kind of source."
        ),
        "RIVET_CONFIG_DUPLICATE_EXPORT": CodeFacts("usage", "Two exports have one name."),
        "RIVET_CONFIG_PREFIX_SHARED": CodeFacts("usage", "Two exports resolve to one destination prefix."),
        "RIVET_CONFIG_PATH_UNSAFE": CodeFacts("usage", "A path or name would leave its folder."),
        "RIVET_CONFIG_META_COLUMN_COLLISION": CodeFacts("usage", "A source column has the name of a meta column."),
        "RIVET_CONFIG_FORMAT_COLUMN_UNSUPPORTED": CodeFacts("usage", "The format cannot hold a column of this type."),
        "RIVET_CONFIG_SOURCE_URL_INVALID": CodeFacts("usage", "The source's URL cannot be used."),
        "RIVET_CONFIG_RUNNER_REFUSED": CodeFacts(
            "usage", "No runner can serve this mode on this source and destination."
        ),
        # -- plugins
        "RIVET_PLUGIN_MISSING": CodeFacts("usage", "No installed plugin offers the kind that was asked for."),
        "RIVET_PLUGIN_DUPLICATE": CodeFacts("usage", "Two distributions offer one kind."),
        "RIVET_PLUGIN_BROKEN": CodeFacts("environment", "A plugin could not be imported or registered."),
        "RIVET_PLUGIN_API_MISMATCH": CodeFacts("usage", "A plugin was written for another version of the contract."),
        # -- planning and types
        "RIVET_TYPE_UNSAFE_MAPPING": CodeFacts("usage", "A column's type has no safe mapping."),
        "RIVET_PLAN_WARNING": CodeFacts("warning", "Something about the plan that a person should know."),
        "RIVET_PLAN_KEY_UNUSABLE": CodeFacts("usage", "A key column cannot order or split the relation."),
        # -- source
        "RIVET_SOURCE_CONNECT_FAILED": CodeFacts("environment", "The source cannot be reached."),
        "RIVET_SOURCE_CREDENTIALS_INVALID": CodeFacts("environment", "The source refused the credentials."),
        "RIVET_SOURCE_TABLE_NOT_FOUND": CodeFacts("environment", "The table does not exist or cannot be seen."),
        "RIVET_SOURCE_QUERY_FAILED": CodeFacts("environment", "The source refused or ended a statement."),
        "RIVET_SOURCE_STATEMENT_TIMEOUT": CodeFacts("environment", "An answer of the source took longer than it may."),
        "RIVET_SOURCE_READ_FAILED": CodeFacts("environment", "Reading failed after every attempt."),
        "RIVET_SOURCE_SNAPSHOT_GONE": CodeFacts("environment", "The shared snapshot of the run no longer exists."),
        "RIVET_SOURCE_RUNTIME_UNAVAILABLE": CodeFacts("environment", "A driver or library of the source is missing."),
        "RIVET_SOURCE_VALUE_UNREPRESENTABLE": CodeFacts("refusal", "A value does not fit the column's planned type."),
        "RIVET_SOURCE_VALUE_TOO_LARGE": CodeFacts("usage", "One cell is larger than the limit."),
        "RIVET_SOURCE_BATCH_TOO_LARGE": CodeFacts("usage", "One batch is larger than the limit."),
        "RIVET_SOURCE_COLUMNS_CHANGED_UNDER_READ": CodeFacts(
            "environment", "The relation's columns changed between planning and reading."
        ),
        # -- destination
        "RIVET_DEST_CREDENTIALS_INVALID": CodeFacts("environment", "The destination refused the credentials."),
        "RIVET_DEST_NOT_WRITABLE": CodeFacts("environment", "The destination prefix cannot be written."),
        "RIVET_DEST_FULL": CodeFacts("environment", "There is no space left where parts are written."),
        "RIVET_DEST_OBJECT_EXISTS": CodeFacts(
            "refusal", "An object is already there under a name that only this run uses."
        ),
        "RIVET_DEST_UPLOAD_CORRUPTED": CodeFacts("environment", "The stored object is not what was sent."),
        "RIVET_DEST_IO_FAILED": CodeFacts("environment", "The destination failed after every attempt."),
        "RIVET_DEST_COMMITTED_PART_GONE": CodeFacts("refusal", "A recorded part is missing or was changed."),
        "RIVET_DEST_PREFIX_MODE_MISMATCH": CodeFacts(
            "refusal", "The prefix holds a dataset of the other shape (batch or change capture)."
        ),
        "RIVET_DEST_CONTROL_ARTIFACT_INVALID": CodeFacts("refusal", "A manifest at the prefix cannot be understood."),
        "RIVET_DEST_MANIFEST_NOT_WRITTEN": CodeFacts(
            "environment", "The manifest was put but did not read back the same."
        ),
        "RIVET_DEST_MANIFEST_MISSING": CodeFacts("usage", "The prefix holds no manifest."),
        # -- state
        "RIVET_STATE_LOCK_TIMEOUT": CodeFacts("busy", "Another live process runs this export or writes this prefix."),
        "RIVET_STATE_LEASE_LOST": CodeFacts("busy", "Another process took over; this one stops."),
        "RIVET_STATE_DATABASE_LOCKED": CodeFacts("busy", "Another program holds the state file."),
        "RIVET_STATE_NOT_WRITABLE": CodeFacts("environment", "The state file cannot be written."),
        "RIVET_STATE_FILE_CORRUPT": CodeFacts("environment", "The state file is not a readable state database."),
        "RIVET_STATE_SCHEMA_NEWER": CodeFacts("refusal", "A newer rivet wrote the state file."),
        "RIVET_STATE_NETWORK_FILESYSTEM": CodeFacts("refusal", "The state file lies on a network file system."),
        "RIVET_STATE_PLAN_CHANGED": CodeFacts(
            "refusal", "An unfinished run with recorded parts was planned differently."
        ),
        "RIVET_STATE_RUN_SEALING": CodeFacts(
            "refusal", "A run whose manifest is being made durable can only be completed."
        ),
        "RIVET_STATE_POSITION_MISMATCH": CodeFacts(
            "refusal", "The stored position belongs to another cursor, query, destination or format."
        ),
        "RIVET_STATE_POSITION_MOVED": CodeFacts("busy", "The export's position was moved by somebody else meanwhile."),
        "RIVET_STATE_FOREIGN_POSITION": CodeFacts(
            "refusal", "Another tool's state lies beside the configuration and this export has no position of ours."
        ),
        # -- run and verification
        "RIVET_RUN_UNITS_FAILED": CodeFacts(
            "environment", "Units of the run failed; nothing that was recorded is read again."
        ),
        "RIVET_RUN_STOPPED": CodeFacts(
            "environment", "A signal ended the command; nothing that was recorded is read again."
        ),
        "RIVET_RUN_ABANDONED": CodeFacts("warning", "An unfinished run was given up, and a new one was begun."),
        "RIVET_RUN_GATE_FAILED": CodeFacts("integrity", "A gate judged the run's data as wrong."),
        "RIVET_RUN_SCHEMA_DRIFT": CodeFacts("drift", "The schema differs from the recorded one."),
        "RIVET_RUN_BATCH_SCHEMA": CodeFacts(
            "internal", "A source delivered a batch that is not of the planned schema."
        ),
        "RIVET_VALIDATE_FAILED": CodeFacts("integrity", "The destination is not what its manifest says."),
        "RIVET_VALIDATE_UNVERIFIED": CodeFacts("environment", "There is no finished dataset to verify."),
        # -- ours
        "RIVET_INTERNAL_LEDGER": CodeFacts("internal", "A durable step was asked for out of order."),
        "RIVET_INTERNAL_CONTRACT": CodeFacts("internal", "A plugin broke the contract."),
        "RIVET_INTERNAL_ERROR": CodeFacts("internal", "Something happened that rivet has no name for."),
    }
)
