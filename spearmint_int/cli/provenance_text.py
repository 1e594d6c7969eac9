"""Why a job was chosen: its provenance in a few lines. Pure functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spearmint_int import value_text
from spearmint_int.registry import ACQUISITIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


# What is sought beside the acquisitions that a config can name.
OTHERS = {"feasibility": "probability that every constraint holds"}


def reasons(provenance: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(name, text) of what the chooser knew and weighed; nothing for a job without provenance."""
    if "source" in provenance:
        yield "chosen by", _chosen_by(provenance)
    if "observations" in provenance:
        yield "knowing", _knowing(provenance)
    if "reason" in provenance:
        yield "because", str(provenance["reason"])
    if (provenance.get("chain") or {}).get("fallback"):
        yield "model", "by hyperparameters that are typical: they could not be sampled"
    if provenance.get("repeat"):
        yield "repeat", "yes: under noise, another look here is worth more than a new point"


def _chosen_by(provenance: Mapping[str, Any]) -> str:
    found = str(provenance["source"])
    if provenance.get("value") is None:
        return found
    acquisition = str(provenance.get("acquisition", "value"))
    spelt_out = ACQUISITIONS.about(acquisition) or OTHERS.get(acquisition, acquisition)
    value = f"{spelt_out} {value_text.number(provenance['value'])}"
    second = (provenance.get("runner_up") or {}).get("value")
    runner_up = "" if second is None else f" (runner-up {value_text.number(second)})"
    return f"{value}{runner_up}, found by {found}"


def _knowing(provenance: Mapping[str, Any]) -> str:
    failed = provenance.get("failed", 0)  # of the observations
    results = value_text.counted(provenance["observations"] - failed, "result")
    parts = [results, f"{provenance.get('pending', 0)} pending"]
    if failed:
        parts.append(f"{failed} failed")
    took = provenance.get("seconds")
    chosen_in = "" if took is None else f"; chosen in {value_text.duration(took)}"
    return ", ".join(parts) + chosen_in
