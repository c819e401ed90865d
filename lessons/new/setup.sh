#!/bin/bash
# Gradescope runs this once. Nothing is installed or downloaded: it only shows that the program runs here.
set -e
chmod +x /autograder/source/matviz
/autograder/source/matviz --version
