"""Tasks on a phone: a launcher, apps, gestures, and families of tasks beside those of desktops.

`page` draws, `gestures` says what fingers do, `phone_family` has the phone around an app.
"""
