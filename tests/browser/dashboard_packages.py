# SPDX-License-Identifier: Apache-2.0
"""The packages with which a browser is driven: playwright-core and axe-core, as package-lock.json pins them."""
import pathlib
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
MADE = HERE.parent.parent / "build/browser"


def missing():
    """What the test needs and cannot have; nothing if all is there."""
    for tool in ("node", "npm", "chromium"):
        if not shutil.which(tool):
            return f"{tool} is not installed"
    lock = (HERE / "package-lock.json").read_bytes()
    kept = MADE / "package-lock.json"
    if kept.exists() and kept.read_bytes() == lock and (MADE / "node_modules/axe-core/axe.min.js").exists():
        return None
    MADE.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, MADE / name)
    try:
        fetched = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=MADE, capture_output=True, text=True, timeout=120, check=False)
    except subprocess.TimeoutExpired:
        kept.unlink()
        return "npm cannot fetch playwright-core and axe-core within two minutes"
    if fetched.returncode != 0:
        kept.unlink()
        return f"npm cannot fetch playwright-core and axe-core: {fetched.stderr.strip()[-300:]}"
    return None
