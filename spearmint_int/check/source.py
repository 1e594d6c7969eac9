"""Advice from the source of the objective: FLOATs that it rounds, names that don't exist."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from spearmint_int.config import FloatVariable
from spearmint_int.errors import alternatives

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spearmint_int.config import Config

# Functions that make a number an integer, whatever module they come from.
ROUNDING = frozenset({"int", "round", "rint", "floor", "ceil", "trunc", "around", "int32", "int64"})


def advice_on_source(source: bytes, config: Config, *, file_name: str) -> Iterator[tuple[str, str]]:
    """(path of the key, sentence) for each piece of advice from the source of `main`."""
    main = _main(ast.parse(source))
    if main is None or len(main.args.args) < 2:
        return
    reader = _Reader(main.args.args[1].arg)
    reader.visit(main)
    for name, line in reader.rounded.items():
        if isinstance(config.variables.get(name), FloatVariable):
            how = f"the objective rounds it ({file_name}, line {line})"
            yield f"variables.{name}", f"{how}; declare it as INT, so that the model knows"
    for name, line in reader.read.items():
        if name not in config.variables:
            others = alternatives(name, config.variables)
            sentence = f"line {line} reads params[{name!r}], but no variable has that name{others}"
            yield file_name, sentence


def _main(module: ast.Module) -> ast.FunctionDef | None:
    functions = [node for node in module.body if isinstance(node, ast.FunctionDef)]
    return next((f for f in functions if f.name == "main"), None)


class _Reader(ast.NodeVisitor):
    """Collects which parameters `main` reads and which it rounds, each with its first line."""

    def __init__(self, params: str) -> None:
        self._params = params
        self._aliases: dict[str, str] = {}  # x = params["x"][0]
        self.read: dict[str, int] = {}
        self.rounded: dict[str, int] = {}

    def visit_Subscript(self, node: ast.Subscript) -> None:
        name = self._key(node)
        if name is not None and isinstance(node.ctx, ast.Load):
            self.read.setdefault(name, node.lineno)
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        name = self._parameter(node.value)
        if name is not None and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            self._aliases[node.targets[0].id] = name
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = self._rounded_parameter(node)
        if name is not None:
            self.rounded.setdefault(name, node.lineno)
        self.generic_visit(node)

    def _rounded_parameter(self, call: ast.Call) -> str | None:
        function = call.func
        if isinstance(function, ast.Attribute) and function.attr in ("astype", "round"):
            own = self._parameter(function.value)  # params["x"].astype(int)
            if own is not None:
                return own if function.attr == "round" or _is_int(call.args) else None
        called = getattr(function, "id", getattr(function, "attr", None))
        # round(x, 2) keeps a real number
        if called in ROUNDING and len(call.args) == 1:
            return self._parameter(call.args[0])
        return None

    def _parameter(self, node: ast.expr) -> str | None:
        """The name of the parameter that an expression is: params["x"], an element or its float."""
        if isinstance(node, ast.Name):
            return self._aliases.get(node.id)
        if isinstance(node, ast.Subscript):
            return self._key(node) or self._parameter(node.value)
        if isinstance(node, ast.Call) and getattr(node.func, "id", None) == "float" and node.args:
            return self._parameter(node.args[0])
        return None

    def _key(self, node: ast.Subscript) -> str | None:
        """x of params["x"]."""
        of_params = isinstance(node.value, ast.Name) and node.value.id == self._params
        if of_params and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
            return node.slice.value
        return None


def _is_int(arguments: list[ast.expr]) -> bool:
    """Whether astype's first argument is an integer type: int, np.int64, "int32"."""
    if not arguments:
        return False
    first = arguments[0]
    name = getattr(first, "id", getattr(first, "attr", getattr(first, "value", "")))
    return isinstance(name, str) and name.startswith("int")
