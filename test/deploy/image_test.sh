#!/usr/bin/env bash
# image_test.sh SOURCE_DIR PROGRAM: the image's root, laid out by deploy/image-root, has what berth needs and no library
# more, and berth serves from it as a container would run it: nobody's user, root file system read-only.
# Exits 77, with a line that says why, where that cannot be tried.
set -euo pipefail
source=$1 program=$2

[ "$(id -u)" -eq 0 ] || { echo "SKIPPED: chroot needs root"; exit 77; }
unshare --mount true 2>/dev/null || { echo "SKIPPED: no mount namespace may be made here"; exit 77; }

work=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null || true; rm -rf "$work"' EXIT
failed() { echo "FAILED: $*"; exit 1; }

root=$work/root
"$source/deploy/image-root" "$program" "$root"
chmod 755 "$work"
as_user=(chroot --userspec=65532:65532 "$root")

version=$("${as_user[@]}" /usr/bin/berth version) || failed "berth does not start in its image"
echo "$version starts in its image, $(du -sh "$root" | cut -f1)"

libraries=$(find "$root" -type f -name '*.so*')
[ -n "$libraries" ] || failed "no libraries in the image"
for library in $libraries; do
  mv "$library" "$work/away"
  if "${as_user[@]}" /usr/bin/berth version >/dev/null 2>&1; then failed "${library#"$root"} is not needed"; fi
  mv "$work/away" "$library"
done
echo "each of its $(wc -l <<<"$libraries") libraries is needed"

for package in "$root"/var/lib/dpkg/status.d/*; do
  grep -q '^Status: install ok installed' "$package" || failed "$package does not say what is installed"
  [ -s "$root/usr/share/doc/$(basename "$package")/copyright" ] || failed "no licence of $(basename "$package")"
done

mkdir "$root/story"
cp "$source/deploy/story/cluster.yaml" "$root/story"
serve='
  mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && ! touch "$0/written" 2>/dev/null
  exec chroot --userspec=65532:65532 "$0" /usr/bin/berth serve --cluster /story/cluster.yaml \
    --listen 127.0.0.1:0 --admin-listen 127.0.0.1:0'
unshare --mount bash -ec "$serve" "$root" >"$work/out" 2>"$work/log" &
pid=$!
deadline=$((SECONDS + 60))
until admin=$(sed -n 's/^admin on //p' "$work/out") && [ -n "$admin" ]; do
  kill -0 "$pid" 2>/dev/null || failed "berth does not serve in its image: $(cat "$work/log")"
  [ $SECONDS -lt $deadline ] || failed "berth does not say where it listens: $(cat "$work/log")"
  sleep 0.05
done
curl --silent --show-error --fail --max-time 10 "$admin/readyz" >/dev/null || failed "berth is not ready in its image"
kill -TERM "$pid"
code=0
wait "$pid" || code=$?
pid=
[ "$code" -eq 0 ] || failed "berth ended with $code: $(cat "$work/log")"
echo "berth serves from a read-only root as user 65532, and stops cleanly"
