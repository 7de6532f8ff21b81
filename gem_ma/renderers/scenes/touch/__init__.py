"""Widgets of a Screen in the look of a phone, with their icons, photos and wallpapers."""
