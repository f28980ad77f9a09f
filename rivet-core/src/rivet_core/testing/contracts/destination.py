"""The contract of a destination."""

from __future__ import annotations

from rivet_core.testing.contracts.destination_look import DestinationLooks
from rivet_core.testing.contracts.destination_put import DestinationPuts


class DestinationContract(DestinationLooks, DestinationPuts, sealed=True):
    """What the ledger relies on in every destination.

    An author gives ``destination``, or ``options`` and ``declaration``.

    ``second`` is another destination over the same prefix, ``breaking`` makes puts break off, ``secrets`` are those in
    the options; ``received`` is for a destination that can only be put to.
    """
