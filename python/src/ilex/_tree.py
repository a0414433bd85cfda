# SPDX-License-Identifier: MIT
"""Tuples, lists and dicts of arrays: what compiled functions take and give."""


def flatten(tree, leaves):
    """The form of a tree, with numbers in the place of leaves, which are added
    to a list. A form can be compared and is the key of a dict."""
    if isinstance(tree, dict):
        return (dict, tuple((k, flatten(x, leaves)) for k, x in tree.items()))
    if isinstance(tree, (tuple, list)):
        return (type(tree), tuple(flatten(x, leaves) for x in tree))
    if tree is None:
        return None
    leaves.append(tree)
    return len(leaves) - 1


def fill(form, leaves):
    """The tree of a form, with these leaves."""
    if form is None or isinstance(form, int):
        return None if form is None else leaves[form]
    kind, parts = form
    if kind is dict:
        return {k: fill(x, leaves) for k, x in parts}
    made = [fill(x, leaves) for x in parts]
    return kind(*made) if hasattr(kind, "_fields") else kind(made)


def is_flat(form, count):
    """Are these all leaves, in one tuple?"""
    return form == (tuple, tuple(range(count)))
