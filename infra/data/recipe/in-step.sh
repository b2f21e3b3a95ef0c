# Brings the table in step with a new dump, and writes into the file `gone` who is in the table but not in the dump.
# infra/data/README.md, "Keep both systems in step", says how it is used.
set -euo pipefail
export LC_ALL=C
rm -f gone
# Here: the commands that write dump.ndjson, such as those of "Move from another system".
data() { npm run --silent data -- "$@" --table NAME; }
id='"id" *: *"[0-9a-f-]{36}"'

# Leaves out the lines with a fault. What is wrong besides them ends the import, and this.
data import --update --dry-run dump.ndjson > told || true
jq -r 'select(.kind == "fault") | .place | capture(":(?<line>[0-9]+)$").line' told | sort -u > bad
sed 's/$/d/' bad > rest.sed
sed -f rest.sed dump.ndjson | data import --update -

data export | jq -r 'select(.principal_name) | .id' | sort > there
grep -aqiE "$id" dump.ndjson || { echo 'There is no user in the file.'; exit 1; }
grep -aoiE "$id" dump.ndjson | cut -d '"' -f 4 | tr A-F a-f | sort > wanted
sed 's/$/p/' bad > bad.sed
unknown=$(sed -n -f bad.sed dump.ndjson | grep -acviE "$id" || true)
test "$unknown" -eq 0 || { echo 'A line with a fault has no id: see told.'; exit 1; }
comm -23 there wanted > gone
test ! -s bad || { echo 'Lines with a fault were left out: see told.'; exit 1; }
