"""How the planes of a table become bytes.

`arrangement.py` says which planes a file stores and in what order. `order.py` maps codes to
ranks. `blocks.py` codes some planes by a `model.py`, whose leaves and symbols
`modelling.py` finds, and `learning.py` learns the model.
"""
