import narwhals as nw
import pandas as pd

from nln.datasets import fetch_chess

NAMES = (
    "bkblk,bknwy,bkon8,bkona,bkspr,bkxbq,bkxcr,bkxwp,blxwp,bxqsq,cntxt,dsopp,dwipd,hdchk,katri,mulch,qxmsq,r2ar8,reskd,"
    "reskr,rimmx,rkxwp,rxmsq,simpl,skach,skewr,skrxp,spcop,stlmt,thrsk,wkcti,wkna8,wknck,wkovl,wkpos,wtoeg,class"
)
BOARD = ["t"] * 12 + ["g", "f", "w"] + ["f"] * 20 + ["n"]


def test_a_file_in_the_folder_is_read_as_text(tmp_path, backend):
    (tmp_path / "chess-krkpa7.csv").write_text(f"{NAMES}\n{','.join(BOARD)},won\n")
    X, y = fetch_chess(data_home=tmp_path, backend=backend)
    frame = nw.from_native(X)
    assert frame.columns == NAMES.split(",")[:-1]
    assert set(frame.schema.values()) == {nw.String}
    assert frame.row(0) == tuple(BOARD)
    assert (y[0], y.name) == ("won", "class")


def test_what_openml_has_comes_out_as_the_file(openml, backend):
    labels = ["won"] * 1669 + ["nowin"] * 1527
    boards = pd.DataFrame([[*BOARD, label] for label in labels], columns=NAMES.split(","), dtype="category")
    asked = openml(boards)
    X, y = fetch_chess(backend=backend)
    frame = nw.from_native(X)
    assert frame.columns == NAMES.split(",")[:-1]
    assert set(frame.schema.values()) == {nw.String}
    assert set(frame.rows()) == {tuple(BOARD)}
    assert nw.from_native(y, series_only=True).to_list() == labels
    assert (asked[0]["name"], asked[0]["version"]) == ("kr-vs-kp", 1)
