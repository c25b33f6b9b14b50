"""What berth asked the API server for, from the API server's own record."""

import datetime
import json

from .expect import Failure

READING = ("get", "list", "watch")


def now():
    return datetime.datetime.now(datetime.timezone.utc)


class Audit:
    """Reads an audit log that records berth's requests only."""

    def __init__(self, file):
        self._file = file
        self._read = 0
        self._excused = []

    def excuse(self, since, until):
        """An API server that has just started refuses everybody until it has read the roles."""
        self._excused.append((since, until))

    def expect_reading_only(self):
        """Failure when, since the last call, berth was refused something or asked for more than to read."""
        with open(self._file, encoding="utf-8") as log:
            log.seek(self._read)
            lines = log.readlines()
            self._read = log.tell()
        found = {self._offence(json.loads(line)) for line in lines} - {None}
        if found:
            raise Failure("berth reads only, and only what its ClusterRole allows", "\n".join(sorted(found)[:10]))

    def _offence(self, event):
        code = event.get("responseStatus", {}).get("code")
        if event["verb"] in READING and (code != 403 or self._is_excused(event)):
            return None
        return f"{event['verb']} {event['requestURI'].split('?')[0]}: {code}"

    def _is_excused(self, event):
        at = datetime.datetime.fromisoformat(event["requestReceivedTimestamp"].replace("Z", "+00:00"))
        return any(since <= at <= until for since, until in self._excused)
