#!/bin/sh
# Stands for the Python of somebody with Numba: answers what the pinned one has answered for the file.
name=$(sed 's/.*"path":"[^"]*\/\([a-z_]*\)\.py".*/\1/')
exec cat "$(dirname "$0")/$name.json"
