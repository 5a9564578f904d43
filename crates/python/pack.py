"""Pack a wheel around a library that cargo has built: ``python pack.py LIBRARY FOLDER`` prints the name of the wheel.

`pip install` and `maturin build` build the library themselves. Tests have built it, with the features that all crates
of the workspace have together, and would have to build everything once more.
"""

from __future__ import annotations

import base64
import hashlib
import pathlib
import re
import sys
import sysconfig
import tomllib
import zipfile

HERE = pathlib.Path(__file__).parent


def main(library: str, folder: str) -> None:
    """Pack the wheel."""
    project = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    workspace = (HERE / "../../Cargo.toml").read_text(encoding="utf-8")
    version = tomllib.loads(workspace)["workspace"]["package"]["version"]
    platform = re.sub(r"[.-]", "_", sysconfig.get_platform())
    tag = f"cp311-abi3-{platform}"
    info = f"treeglot-{version}.dist-info"
    metadata = [
        "Metadata-Version: 2.4",
        "Name: treeglot",
        f"Version: {version}",
        f"Summary: {project['description']}",
        f"Requires-Python: {project['requires-python']}",
    ]
    files = {
        path.relative_to(HERE / "python").as_posix(): path.read_bytes()
        for path in sorted((HERE / "python").rglob("*"))
        if path.suffix in {".py", ".pyi", ".typed"} or path.name == "py.typed"
    }
    files["treeglot/_treeglot.abi3.so"] = pathlib.Path(library).read_bytes()
    files[f"{info}/METADATA"] = "\n".join([*metadata, ""]).encode()
    wheel = ["Wheel-Version: 1.0", "Generator: treeglot", "Root-Is-Purelib: false", f"Tag: {tag}", ""]
    files[f"{info}/WHEEL"] = "\n".join(wheel).encode()
    record = [f"{name},sha256={_hash(content)},{len(content)}" for name, content in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    out = pathlib.Path(folder) / f"treeglot-{version}-{tag}.whl"
    out.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    print(out)


def _hash(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    main(*sys.argv[1:])
