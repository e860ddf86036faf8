# shellcheck shell=bash
# A headless Chromium that a test leads by the DevTools protocol over a pair of pipes: messages are JSON, each ended by a
# zero byte. Source it after tests/tap.sh. What the browser tells unasked, such as errors and requests, is kept in
# $scratch/told.

# browser_find: the program's name; fails where there is none.
browser_find() {
  command -v chromium || command -v chromium-browser || command -v google-chrome
}

browser_number=0
browser_session=

# browser_send METHOD [PARAMETERS]: waits for the answer and leaves it in $browser_answer.
browser_send() {
  browser_number=$((browser_number + 1))
  printf '{"id":%d,"method":"%s","params":%s%s}\0' "$browser_number" "$1" "${2:-{\}}" \
    "${browser_session:+,\"sessionId\":\"$browser_session\"}" >&8
  while IFS= read -r -d '' -t 60 -u 9 browser_answer; do
    case $browser_answer in
    "{\"id\":$browser_number,\"result\""*) return 0 ;;
    "{\"id\":$browser_number,"*) break ;;
    esac
    printf '%s\n' "$browser_answer" >>"$scratch/told"
  done
  echo "no answer to $1 $2: $browser_answer"
  return 1
}

# browser_field NAME: a text of the last answer.
browser_field() {
  sed -nE "s/.*\"$1\":\"([^\"]*)\".*/\1/p" <<<"$browser_answer"
}

# browser_open PROGRAM FILE: starts the browser and shows the file.
browser_open() {
  mkfifo "$scratch/to-browser" "$scratch/from-browser" || return
  exec 8<>"$scratch/to-browser" 9<>"$scratch/from-browser"
  # Root has no sandbox, and a container little shared memory.
  "$1" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run --user-data-dir="$scratch/profile" \
    --remote-debugging-pipe about:blank 3<"$scratch/to-browser" 4>"$scratch/from-browser" >"$scratch/browser.log" 2>&1 &
  browser_process=$!
  trap 'browser_close; rm -rf "$scratch"' EXIT
  browser_send Target.createTarget '{"url":"about:blank"}' &&
    browser_send Target.attachToTarget "{\"targetId\":\"$(browser_field targetId)\",\"flatten\":true}" || {
    tail -n 3 "$scratch/browser.log"
    return 1
  }
  browser_session=$(browser_field sessionId)
  local domain
  for domain in Runtime Log Network Page; do
    browser_send $domain.enable || return
  done
  browser_send Page.navigate "{\"url\":\"file://$2\"}" &&
    browser_is "new Promise((done) => document.readyState === 'complete' ? done(true) : addEventListener('load', () => done(true)))" true
}

# browser_close: ends the browser that was opened, if any.
browser_close() {
  [ -n "${browser_process-}" ] || return 0
  kill "$browser_process" 2>/dev/null
  wait "$browser_process" 2>/dev/null
  browser_process=
}

# browser_is EXPRESSION WANTED: true when the page's value of the JavaScript, without double quotes or backslashes, reads
# as WANTED.
browser_is() {
  local value
  browser_send Runtime.evaluate \
    "{\"expression\":\"Promise.resolve(${1//$'\n'/ }).then(String)\",\"awaitPromise\":true,\"returnByValue\":true}" || return
  value=$(browser_field value)
  [ "$value" = "$2" ] || {
    echo "$1 is '$value', wanted '$2'"
    printf '%s\n' "$browser_answer" | cut -c 1-600
    return 1
  }
}

# browser_key NAME NUMBER [TEXT]: pressed and let go, as by hand.
browser_key() {
  local key="\"key\":\"${3:-$1}\",\"code\":\"$1\",\"windowsVirtualKeyCode\":$2"
  browser_send Input.dispatchKeyEvent "{\"type\":\"keyDown\",$key${3:+,\"text\":\"$3\"}}" &&
    browser_send Input.dispatchKeyEvent "{\"type\":\"keyUp\",$key}"
}

# browser_told PATTERN: prints what the browser told that matches, and is true when there is something.
browser_told() {
  grep -oE "$1" "$scratch/told"
}
