#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Commit the built site to the branch gh-pages, in a folder named `main` or as the version of a release, and push it.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
name=$1
export GIT_AUTHOR_NAME=documentation GIT_AUTHOR_EMAIL=documentation@users.noreply.github.com
export GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL
cd "$root"
git fetch --quiet --depth=1 origin gh-pages:gh-pages 2>/dev/null || git branch gh-pages "$(git commit-tree -m "Begin the site" "$(git mktree </dev/null)")"
pages=$(mktemp -d)
trap 'git -C "$root" worktree remove --force "$pages"' EXIT
git worktree add --quiet "$pages" gh-pages
rm -rf "${pages:?}/$name"
cp -r docs/site "$pages/$name"
touch "$pages/.nojekyll"
newest=$(cd "$pages" && ls -d [0-9]*.[0-9]*.[0-9]* 2>/dev/null | sort -V | tail -n 1 || true)
printf '<!doctype html><meta http-equiv="refresh" content="0; url=%s/">\n' "${newest:-main}" >"$pages/index.html"
git -C "$pages" add --all
# A push to main may leave the site as it is.
git -C "$pages" diff --cached --quiet || git -C "$pages" commit --quiet --message "Publish $name"
git -C "$pages" push --quiet origin gh-pages
