"""Learn tic-tac-toe: the rules, how many boards each covers, and the cross-validated score."""

from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold

from nln import NLNClassifier, datasets
from nln.progress import ProgressBar


def main() -> None:
    """Print what a person wants to see first."""
    X, y = datasets.load_tic_tac_toe()
    print(f"Tic-tac-toe: {len(X)} finished boards, {X.shape[1]} squares; when has x won?")
    print("Learning (the first run on a machine compiles for about half a minute) ...\n", flush=True)
    model = NLNClassifier(random_state=0, callbacks=[ProgressBar()]).fit(X, y)
    print(model.program_)

    scores, counts = [], []
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        fold = NLNClassifier(random_state=0, callbacks=[ProgressBar()]).fit(X.iloc[train], y.iloc[train])
        scores.append(f1_score(y.iloc[test], fold.predict(X.iloc[test]), pos_label="positive"))
        counts.append(fold.program_.n_rules)
    print("\n5-fold cross-validation")
    print("  F1 on unseen boards: " + " ".join(f"{100 * score:.1f} %" for score in scores))
    print("  rules learned:       " + " ".join(f"{count:7d}" for count in counts))


if __name__ == "__main__":
    main()
