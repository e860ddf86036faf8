#!/bin/sh
# Prints the manual page: doc/trainstorm.1.in with what every command's --help says in the place of @COMMANDS@.
# manual.sh PROGRAM
set -eu
export LC_ALL=C.UTF-8
program=$1
commands() {
  "$program" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\)  *.*/\1/p'
}

# A command's help as roff: its usage, what it does, its options, and what is said behind them.
section() {
  "$program" "$1" --help | awk '
    function roff(text) { gsub(/\\/, "\\e", text); gsub(/-/, "\\-", text); sub(/^[.'\'']/, "\\\\&&", text); return text }
    function option(text) { split_at = match(text, /[^ ]  +[^ ]/); return split_at }
    NR == 1 { sub(/^Usage: /, ""); print ".SS \"" roff($0) "\""; part = "usage"; next }
    part == "usage" && sub(/^  or:  */, "") { print "or " roff($0) "\n.br"; next }
    part == "usage" { part = "doc" }
    /^Mandatory or optional arguments to long options/ { skipping = 1 }
    skipping { if ($0 == "") skipping = 0; next }
    $0 == "" { apart = 1; if (part == "options") part = "doc"; next }
    /^ *--?[-a-zA-Z?]/ && /^  / {
      apart = 0
      part = "options"; line = $0; sub(/^ +/, "", line)
      at = match(line, /   *[^ ]/)
      print ".TP"; print ".B " roff(at ? substr(line, 1, at - 1) : line)
      if (at) { rest = substr(line, at); sub(/^ +/, "", rest); print roff(rest) }
      next
    }
    part == "options" && /^ +[^ ]/ { sub(/^ +/, ""); print roff($0); next }
    apart { print ".PP"; apart = 0 }
    { print roff($0) }'
}

while IFS= read -r line; do
  case $line in
  @COMMANDS@) for command in $(commands); do section "$command"; done ;;
  *) printf '%s\n' "$line" ;;
  esac
done <"$(dirname "$0")/trainstorm.1.in"
