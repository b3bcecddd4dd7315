"""Other libraries' conventions: Gymnasium environments with vector rewards, a scikit-learn estimator.

Each module needs its library, so none is imported here.
"""
