"""Execute the notebooks and keep their output: `python examples/keep_output.py [NAME ...]`, all by default.

Needs nbclient and ipykernel, and the files that `README.md` names for kidney, adult and nsl-kdd.
"""

import re
import sys
import tempfile
from pathlib import Path

import nbclient
import nbformat

HERE = Path(__file__).parent
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def keep_output(path: Path) -> None:
    """Run a notebook in a folder of its own; nothing of the machine and of the time it took is kept."""
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        where = {"metadata": {"path": folder}}
        options = {"timeout": 900, "record_timing": False, "coalesce_streams": True}
        nbclient.NotebookClient(notebook, kernel_name="python3", resources=where, **options).execute()
    notebook.metadata = METADATA
    for cell in notebook.cells:
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
            for output in cell.outputs:
                if "text" in output:
                    output.text = re.sub(r"[ \t]+$", "", output.text, flags=re.MULTILINE)
    nbformat.write(notebook, path)


def main() -> None:
    """Run the notebooks that are named."""
    for name in sys.argv[1:] or sorted(path.stem for path in HERE.glob("*.ipynb")):
        keep_output(HERE / f"{name}.ipynb")
        print(f"{name}: done", flush=True)


if __name__ == "__main__":
    main()
