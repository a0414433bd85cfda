# SPDX-License-Identifier: MIT
"""Pages that notebooks show."""

from html import escape


class Page(str):
    """A page for browsers, as text."""

    def _repr_html_(self):
        return (f'<iframe srcdoc="{escape(self)}" width="100%" height="600" '
                'style="border: 0"></iframe>')
