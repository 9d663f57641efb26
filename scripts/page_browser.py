"""The browser of scripts/page-test, for the other scripts that try pages."""

import importlib.machinery
import importlib.util
import pathlib

# It is a command, so its name is not one that `import` knows.
_loader = importlib.machinery.SourceFileLoader("page_test", str(pathlib.Path(__file__).resolve().parent / "page-test"))
_module = importlib.util.module_from_spec(importlib.util.spec_from_loader("page_test", _loader))
_loader.exec_module(_module)

Browser, CONTRAST, ELEMENT = _module.Browser, _module.CONTRAST, _module.ELEMENT
