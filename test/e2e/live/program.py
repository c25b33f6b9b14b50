"""Child processes: started with their logs in a folder, ended by their process id, never left behind."""

import os
import pathlib
import random
import signal
import socket
import subprocess

from .expect import Failure, NotYet, until


def free_port():
    """A port of 127.0.0.1 that nobody listens on, from below the range of outgoing connections, so
    that none of those takes it before its program does."""
    while True:
        port = random.randrange(20000, 32000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                pass


class Program:
    """A child process with its output in `<name>.out` and its log in `<name>.log`, which are appended to
    when it is started again.

    It has a session of its own, so that Ctrl-C reaches only us and we end things in the right order, and
    it dies with us (setpriv), however we end. Start it from the main thread: the kernel watches the
    thread that started it.
    """

    def __init__(self, name, argv, folder):
        self.name = name
        self.argv = [str(word) for word in argv]
        self.log = pathlib.Path(folder) / f"{name}.log"
        self.out = pathlib.Path(folder) / f"{name}.out"
        self._process = None

    def start(self):
        with open(self.out, "ab") as out, open(self.log, "ab") as log:
            self._process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", *self.argv],
                stdin=subprocess.DEVNULL, stdout=out, stderr=log, start_new_session=True)

    @property
    def pid(self):
        return self._process.pid

    def running(self):
        return self._process is not None and self._process.poll() is None

    def signal(self, which):
        os.kill(self.pid, which)

    def kill(self):
        """Ends it at once, as a crash would."""
        self._end(signal.SIGKILL, 10)

    def terminate(self, seconds=10.0):
        """Asks it to stop and returns its exit code; Failure when it takes longer than `seconds`."""
        return self._end(signal.SIGTERM, seconds)

    def _end(self, how, seconds):
        if not self.running():
            return self._process.returncode if self._process else None
        os.kill(self.pid, how)
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            raise Failure(f"{self.name} ends within {seconds:g} s of signal {how.name}", "it ran on") from None

    def await_ready(self, ready, seconds=60):
        """Waits until `ready()`; Failure with the end of the log when the process ends first."""
        def condition():
            if not self.running():
                raise Failure(f"{self.name} starts", f"exit code {self._process.returncode}\n{self.log_tail()}")
            return ready()
        until(f"{self.name} ready", condition, seconds)

    def log_tail(self, lines=15):
        try:
            return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])
        except FileNotFoundError:
            return ""


def run(argv, stdin=None, check=True, folder=None):
    """Runs a command to its end and returns the completed process, with text output."""
    done = subprocess.run([str(word) for word in argv], input=stdin, text=True, capture_output=True, cwd=folder)
    if check and done.returncode != 0:
        raise Failure(f"{' '.join(map(str, argv))} succeeds", f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def retrying(action, errors, seconds=30.0):
    """Repeats `action` while it raises one of `errors`, for `seconds` at most."""
    def attempt():
        try:
            return (action(),)
        except errors as error:
            raise NotYet(error) from None
    return until("an answer", attempt, seconds)[0]
