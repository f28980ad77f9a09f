from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pytest

from rivet_core.testing import (
    Filled,
    ReferenceDatabase,
    ReferenceOptions,
    Sample,
    SourceContract,
    Typed,
    reference_type,
)
from rivet_core.testing.reference_source import ENDLESS, FROM
from rivet_core.types import Query, Relation, Secret


class TestReference(SourceContract):
    declaration = reference_type()

    @pytest.fixture
    def database(self) -> ReferenceDatabase:
        return ReferenceDatabase("kit", password="correct horse")

    @pytest.fixture
    def options(self, database: ReferenceDatabase) -> ReferenceOptions:
        return ReferenceOptions(database=database, password=Secret("correct horse"))

    @pytest.fixture
    def wrong_options(self, database: ReferenceDatabase) -> ReferenceOptions:
        return ReferenceOptions(database=database, password=Secret("battery staple"))

    @pytest.fixture
    def secrets(self) -> tuple[str, ...]:
        return ("correct horse", "battery staple")

    @pytest.fixture
    def fill(self, database: ReferenceDatabase) -> Callable[[Sample], Filled]:
        def fill(sample: Sample) -> Filled:
            relation = database.create(sample.name, sample.rows, key=sample.key)
            return Filled(relation=relation, rows=sample.rows, key=sample.key)

        return fill

    @pytest.fixture
    def typed(self, database: ReferenceDatabase) -> Typed:
        rows = pa.table({"flag": [True, None], "list": pa.array([[1, None], []], pa.list_(pa.int32()))})
        return Typed(relation=database.create("typed", rows), expected=rows)

    @pytest.fixture
    def query(self) -> Callable[[Relation], Query]:
        return lambda relation: Query(f"{FROM}{relation}")

    @pytest.fixture
    def insert(self, database: ReferenceDatabase) -> Callable[[Relation, pa.Table], None]:
        return lambda relation, rows: database.insert(str(relation), rows)

    @pytest.fixture
    def kill(self, database: ReferenceDatabase) -> Callable[[], None]:
        return database.kill

    @pytest.fixture
    def endless(self) -> Relation:
        return ENDLESS
