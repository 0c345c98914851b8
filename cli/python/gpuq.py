"""Submit jobs to gpuq, a GPU job queue, from Python.

This file is the whole client. It needs Python 3.8 or later and no other package.

    import gpuq

    job = gpuq.submit("solution.py", gpus=1)
    for line in job.log():          # the output, live
        print(line)
    print(job.status, job.results)  # "completed", [{"accuracy": 0.93}]

The server and the token come from the arguments ``server`` and ``token``, otherwise from the variables ``GPUQ_URL`` and
``GPUQ_TOKEN``, otherwise from this file (a server writes its address into it) and from ``gpuq login``.

Every function may raise `gpuq.Error`. Its text says what to change. Requests that fail for a moment are repeated, and a
repeated submission is never a second job.
"""

from __future__ import annotations

import contextlib
import csv
import datetime
import email.utils
import errno
import functools
import hashlib
import http.client
import importlib
import json
import logging
import os
import re
import shutil
import stat
import sys
import tarfile
import time
import unicodedata
import urllib.error
import urllib.parse
import urllib.request
import uuid
from pathlib import Path
from typing import (
    IO,
    Any,
    Callable,
    Dict,
    FrozenSet,
    Iterable,
    Iterator,
    List,
    Literal,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Set,
    Tuple,
    TypeVar,
    Union,
    cast,
    overload,
)

__all__ = ["Client", "Error", "Group", "Job", "budgets", "group", "job", "jobs", "submit", "sweep", "visible", "wave"]

DEFAULT_SERVER = ""
"""The server that handed out this file."""

StrPath = Union[str, "os.PathLike[str]"]
_Value = TypeVar("_Value")

_FINAL = ("completed", "failed", "cancelled")
_MIB = 1024 * 1024
_PIECE_BYTES = _MIB
_SMALL_BYTES = 4 * _MIB
_BATCH_BYTES = 16 * _MIB
_BATCH_FILES = 1000
# An excluded directory may be large: the exact number is not worth the time.
_MOST_COUNTED = 100_000
_REQUEST_TIMEOUT_S = 30.0
_UPLOAD_TIMEOUT_S = 300.0
# The server sends something at least every 15 seconds.
_SILENCE_S = 45.0
# How long requests are repeated: before any answer of the server, later, and while a job is waited for.
_FIRST_CONTACT_S = 5.0
_PATIENCE_S = 60.0
_WAITING_PATIENCE_S = 600.0
_LONGEST_POLL_S = 2.0

# Errors of the file system that concern one file.
_LOCAL_FAULTS = (
    errno.EACCES,
    errno.EEXIST,
    errno.EISDIR,
    errno.ELOOP,
    errno.ENAMETOOLONG,
    errno.ENOTDIR,
    errno.EPERM,
    errno.EROFS,
)

_log = logging.getLogger("gpuq")


class Error(Exception):
    """A request that gpuq refused, or that got no answer. The text says what to change.

    Attributes:
        status: the HTTP status; 0 if there was no answer.
        code: a word for programs, such as ``invalid_fields`` or ``unreachable``.
        errors: for each wrong field a dict with ``path`` and ``message``.
        retry_after: seconds after which the server accepts the request again; None if it did not say.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int = 0,
        code: str = "client",
        errors: Sequence[Mapping[str, Any]] = (),
        retry_after: Optional[float] = None,
    ) -> None:
        # Tracebacks and logs print the text, which a server may have written.
        super().__init__(visible(message))
        self.status = status
        self.code = code
        self.errors: List[Dict[str, Any]] = [dict(error) for error in errors]
        self.retry_after = retry_after

    @property
    def is_temporary(self) -> bool:
        """Whether the same request may succeed later."""
        if self.code == "unreachable" or self.status == 429:
            return True
        return self.status >= 500 and self.status not in (501, 505, 507)


class _FileError(Error):
    """One file cannot be written here."""


def visible(text: str) -> str:
    """Return a text that cannot control a terminal when it is printed.

    Colours stay, and so do tab, line feed, backspace, carriage return and the erasure of a line, with which progress
    bars are drawn. Other control characters and marks of direction become codes, such as ``\\u001b``.

    >>> for line in gpuq.job(job_of_somebody_else).log():
    ...     print(gpuq.visible(line))
    """
    return _CONTROLLING.sub(lambda found: found.group(1) or f"\\u{ord(found.group()):04x}", text)


_CONTROLLING = re.compile(
    "(\x1b\\[[0-9;:]{0,64}m|\x1b\\[[012]?K)"
    "|[\x00-\x07\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"
)


@overload
def submit(path: Optional[StrPath] = None, *, dry_run: Literal[True], **keys: Any) -> Dict[str, Any]: ...


@overload
def submit(
    path: Optional[StrPath] = None,
    *,
    command: Optional[str] = None,
    config: Union[StrPath, Mapping[str, Any], None] = None,
    gpus: Optional[float] = None,
    deduplicate: bool = False,
    dry_run: Literal[False] = False,
    idempotency_key: Optional[str] = None,
    server: Optional[str] = None,
    token: Optional[str] = None,
    **keys: Any,
) -> Job: ...


def submit(
    path: Optional[StrPath] = None,
    *,
    command: Optional[str] = None,
    config: Union[StrPath, Mapping[str, Any], None] = None,
    gpus: Optional[float] = None,
    deduplicate: bool = False,
    dry_run: bool = False,
    idempotency_key: Optional[str] = None,
    server: Optional[str] = None,
    token: Optional[str] = None,
    **keys: Any,
) -> Union[Job, Dict[str, Any]]:
    """Submit a job, and return it without waiting.

    Args:
        path: a Python program, or a directory. Only the content of a directory that the server does not have is sent.
            Files that ``.gitignore`` or ``.gpuqignore`` name stay here. None: the job has only a command.
        command: a shell command that runs in a copy of the directory. Without it, the directory's ``solution.py``,
            ``main.py`` or ``run.sh`` runs, or the file that ``entrypoint`` names.
        config: the path of a config.yaml, or a dict with its keys.
        gpus: number of GPUs; 0.5 is half a GPU. Default: 1.
        deduplicate: return your job with the same content if one waits, runs or has completed.
        dry_run: submit and send nothing, and return a dict that says what would happen: ``text``, ``expected_start``,
            ``left`` of your limits, ``hardware``. What a submission would be refused for is raised.
        idempotency_key: calls with the same key are one job, also in another process.
        server, token: see the top of this file.
        **keys: keys of config.yaml, such as ``name``, ``args``, ``env``, ``environment``, ``expected_time`` (seconds, or "5m"),
            ``max_time`` (the same), ``project_id``, ``memory_gb``, ``priority``, ``entrypoint``, ``instance_count``.
            ``depends_on`` is a list of jobs and groups, or of their ids, that must complete before this one starts;
            ``{"id": group, "when": "any"}`` waits for any end, ``"failed"`` for a failure.

    Raises:
        Error: the server refused the job, or a file cannot be read.

    Examples:
        >>> gpuq.submit("solution.py", gpus=1, args=["--epochs", "10"])
        >>> gpuq.submit("solution.py", config="config.yaml")
        >>> gpuq.submit("train/", command="python train.py", gpus=2, name="baseline")
        >>> gpuq.submit("report.py", depends_on=[gpuq.sweep("train.py", lr=[0.1, 0.01])])
    """
    found = _find_config(config)
    client = Client(server, token or found.token)
    if dry_run:
        return client.submit(path, dry_run=True, command=command, config=config, gpus=gpus, **keys)
    return client.submit(
        path,
        command=command,
        config=config,
        gpus=gpus,
        deduplicate=deduplicate,
        dry_run=False,
        idempotency_key=idempotency_key,
        **keys,
    )


@overload
def sweep(path: Optional[StrPath] = None, *, dry_run: Literal[True], **keys: Any) -> Dict[str, Any]: ...


@overload
def sweep(
    path: Optional[StrPath] = None,
    *,
    command: Optional[str] = None,
    config: Union[StrPath, Mapping[str, Any], None] = None,
    gpus: Optional[float] = None,
    matrix: Optional[Mapping[str, Any]] = None,
    dry_run: Literal[False] = False,
    idempotency_key: Optional[str] = None,
    server: Optional[str] = None,
    token: Optional[str] = None,
    **keys: Any,
) -> Group: ...


def sweep(
    path: Optional[StrPath] = None,
    *,
    config: Union[StrPath, Mapping[str, Any], None] = None,
    server: Optional[str] = None,
    token: Optional[str] = None,
    **keys: Any,
) -> Union[Group, Dict[str, Any]]:
    """Submit a group of jobs that run one program with different parameters, and return it without waiting.

    Args:
        path, command, config, gpus, idempotency_key: as for `submit`.
        matrix: the values of each parameter: a list, a range, or a dict such as ``{"uniform": [0, 0.5]}``. Values can also be
            keywords: ``lr=[0.1, 0.01]``. ``{lr}`` in ``args`` and ``command`` becomes the value. If neither of them is given,
            the program gets ``--lr VALUE`` for each parameter.
        dry_run: submit and send nothing, and return a dict that says what would happen: ``text``, ``members``, ``gpu_hours``,
            ``expected_start``, ``hints``. What a submission would be refused for is raised.
        **keys: keys of config.yaml, also those of a group: ``parallel``, ``repeat``, ``array``, ``search``, ``samples``,
            ``seed``, ``objective`` (``{"metric": "val_loss", "mode": "min"}``), ``stop`` (``{"rule": "asha", "min_step": 10}``).
            See /docs/sweeps on your server. A parameter that has the name of such a key belongs into `matrix`.

    >>> objective = {"metric": "loss", "mode": "min"}
    >>> found = gpuq.sweep("train.py", lr=[0.1, 0.01], width=range(64, 257, 64), objective=objective)
    >>> found.wait().best
    {'index': 3, 'parameters': {'lr': 0.01, 'width': 256}, 'objective': 0.21, ...}
    """
    client = Client(server, token or _find_config(config).token)
    found: Union[Group, Dict[str, Any]] = client.sweep(path, config=config, **keys)
    return found


@overload
def wave(
    path: Optional[StrPath] = None, *, members: Sequence[Mapping[str, Any]], dry_run: Literal[True], **keys: Any
) -> Dict[str, Any]: ...


@overload
def wave(
    path: Optional[StrPath] = None,
    *,
    members: Sequence[Mapping[str, Any]],
    dry_run: Literal[False] = False,
    **keys: Any,
) -> Group: ...


def wave(
    path: Optional[StrPath] = None, *, members: Sequence[Mapping[str, Any]], **keys: Any
) -> Union[Group, Dict[str, Any]]:
    """Submit a group of up to 1,000 jobs that differ in keys of config.yaml, and return it without waiting.

    Args:
        path, **keys: as for `sweep`, without a matrix.
        members: for each job the keys in which it differs from the others, such as ``args``, ``env``, ``gpu_count`` or ``name``,
            and optionally ``idempotency_key``: a member whose key you have used is the earlier job.

    >>> gpuq.wave("train/", members=[{"name": "adam", "args": ["--adam"]}, {"name": "large", "gpu_count": 2}]).wait()
    """
    found: Union[Group, Dict[str, Any]] = sweep(path, members=list(members), **keys)
    return found


def budgets(*, server: Optional[str] = None, token: Optional[str] = None) -> List[Dict[str, Any]]:
    """Return the budgets of GPU hours of you, your projects, tokens and groups, and what is left of each.

    >>> [budget["sentence"] for budget in gpuq.budgets()]
    ['3.2 of 40 GPU hours used this week; 36.8 left until Monday 00:00 UTC.']
    """
    return Client(server, token).budgets()


def group(group_id: str, *, server: Optional[str] = None, token: Optional[str] = None) -> Group:
    """Return the group of jobs with this id."""
    return Client(server, token).group(group_id)


def job(job_id: str, *, server: Optional[str] = None, token: Optional[str] = None) -> Job:
    """Return the job with this id.

    >>> gpuq.job("0190a3b4-0000-7000-8000-000000000001").status
    'running'
    """
    return Client(server, token).job(job_id)


def jobs(
    *,
    status: Optional[str] = None,
    project_id: Optional[str] = None,
    competition_id: Optional[str] = None,
    limit: int = 50,
    server: Optional[str] = None,
    token: Optional[str] = None,
) -> List[Job]:
    """Return your jobs, newest first.

    Args:
        status: only jobs that are ``pending``, ``running``, ``completed``, ``failed`` or ``cancelled``.
        limit: the most jobs to return.

    >>> [job.cancel() for job in gpuq.jobs(status="pending")]
    """
    client = Client(server, token)
    return client.jobs(status=status, project_id=project_id, competition_id=competition_id, limit=limit)


class Job:
    """A job on the server. `submit`, `job` and `jobs` return it."""

    def __init__(self, server: _Server, detail: Mapping[str, Any]) -> None:
        self._server = server
        self._detail: Dict[str, Any] = dict(detail)
        self._results: Optional[List[Any]] = None
        self.id: str = _require_id(detail.get("job_id"))

    def __repr__(self) -> str:
        return f"<gpuq.Job {self.id} {_one_line(str(self._detail.get('status', 'pending')))}>"

    @property
    def url(self) -> str:
        """The address of the job's page."""
        return f"{self._server.address}/jobs/{self.id}"

    @property
    def detail(self) -> Dict[str, Any]:
        """Everything that the server knows about the job: the response of ``GET /api/status/ID``."""
        return dict(self._read(_PATIENCE_S))

    @property
    def status(self) -> str:
        """``pending``, ``running``, ``completed``, ``failed`` or ``cancelled``, as it is now."""
        return str(self._read(_PATIENCE_S)["status"])

    @property
    def done(self) -> bool:
        """Whether the job has ended."""
        return self.status in _FINAL

    @property
    def reason(self) -> Optional[str]:
        """Why the job waits, failed or was cancelled, as a sentence. None if there is nothing to say."""
        text = self._read(_PATIENCE_S).get("reason_text")
        return None if text is None else str(text)

    @property
    def diagnosis(self) -> Optional[Dict[str, Any]]:
        """Why the job failed: ``cause``, ``summary``, ``fault``, ``error``, ``place``, ``evidence`` (lines that it
        printed), ``next_step`` and ``fix``. None while nothing is known to be wrong."""
        detail = self._read(_PATIENCE_S)
        if "diagnosis" not in detail:
            # Live events and the answer to a cancellation do not have it.
            detail = self._detail = self._server.get(f"/api/status/{self.id}")
        found = detail.get("diagnosis")
        return dict(found) if isinstance(found, dict) else None

    @property
    def exit_code(self) -> Optional[int]:
        """The exit code of the program. None before the end, and if the program did not run."""
        code = self._read(_PATIENCE_S).get("exit_code")
        return None if code is None else int(code)

    @property
    def results(self) -> List[Any]:
        """The JSON objects and arrays that the program printed, one for each line: all of them after the end of the
        job; before it, those so far. NaN and Infinity, which Python prints, are floats.

        >>> gpuq.submit("solution.py").wait().results
        [{'accuracy': 0.93, 'epochs': 3}]
        """
        if self._results is not None:
            return list(self._results)
        if self.status not in _FINAL:
            return self._results_so_far()
        path = f"/api/results/{self.id}"
        self._results = self._server.call("GET", path, {"format": "jsonl"}, consume=_read_results)
        return list(self._results)

    def _results_so_far(self) -> List[Any]:
        found: List[Any] = []
        for event, data in self._events():
            if event == "output":
                found.extend(_parse_result(record) for record in data if record.startswith('{"type":"result",'))
            elif event == "reset":
                found = []
            # The state of the job follows what it has printed before.
            elif event in ("job", "end"):
                break
        return found

    @property
    def output(self) -> str:
        """Everything that the program has printed so far, as one text."""
        path = f"/api/results/{self.id}"
        text = self._server.call("GET", path, {"format": "text"}, consume=lambda response: response.read())
        return text.decode("utf-8", "replace")

    def wait(self, timeout: Optional[float] = None) -> Job:
        """Wait until the job has ended, and return it. A job that failed is no error: look at `status`.

        Waiting continues over broken connections, restarts of the server and proxies that end long requests.

        Args:
            timeout: the longest time to wait, in seconds. None: no limit.

        Raises:
            TimeoutError: the job has not ended within `timeout`. It continues.

        >>> gpuq.submit("solution.py").wait().status
        'completed'
        """
        begun = time.monotonic()
        delay_s = 0.1
        with _Progress(self._server.progress) as progress:
            while True:
                detail = self._read(_WAITING_PATIENCE_S)
                passed = time.monotonic() - begun
                progress.show(self._describe(detail, passed))
                if detail["status"] in _FINAL:
                    return self
                if timeout is not None and passed >= timeout:
                    raise TimeoutError(f"Job {self.id} has not ended within {timeout:g} seconds. It continues.")
                left = delay_s if timeout is None else min(delay_s, timeout - passed)
                time.sleep(max(0.0, left))
                delay_s = min(_LONGEST_POLL_S, delay_s * 1.3)

    def log(self, *, stderr: bool = True, rank: Optional[int] = None) -> Iterator[str]:
        """Yield the lines of the job's output from its beginning, as they are printed, until the job ends.

        After a broken connection it continues behind the last line: no line is lost, and none comes twice. If gpuq
        runs the job again after a fault of the system, the lines of the new attempt follow.

        Args:
            stderr: also yield the lines of stderr.
            rank: only the lines of this task of a job on several nodes. None: all, with ``[rank N]`` before each line.

        The lines are as the program printed them. Before you print those of another user's job, pass them to `visible`.

        >>> for line in job.log():
        ...     print(line)
        """
        lines = _Lines(stderr, rank)
        for event, data in self._events():
            if event == "output":
                for record in data:
                    yield from lines.add(record)
            elif event in ("reset", "end"):
                yield from lines.flush()
            elif event == "job":
                self._detail = json.loads("\n".join(data))

    def cancel(self) -> Job:
        """Cancel the job, and return it. Its program gets SIGTERM, and SIGKILL ten seconds later."""
        self._detail = self._server.json("POST", f"/api/cancel/{self.id}")
        return self

    def download(self, directory: StrPath = ".") -> List[Path]:
        """Save the files that the job wrote to ``/results``, and return their paths. Files of a job on several nodes
        are in ``rank-0``, ``rank-1`` and so on. A file that is there already with the same content is kept. Files that
        change what you send next (``.gpuqignore``, ``.gitignore``) and files of ``.git`` are left out, with a warning.
        A file that cannot be written here does not stop the others. The error at the end names it. Names are as the job
        wrote them. One that this system cannot hold is changed, with a warning.

        >>> job.download("results/")
        [PosixPath('results/model.pt')]
        """
        listed = self._server.get(f"/api/jobs/{self.id}/artifacts")
        found: List[Dict[str, Any]] = listed["artifacts"]
        if not found and listed.get("files_deleted"):
            raise Error(f"The files of job {self.id} were deleted.", status=404, code="not_found")
        several = any(artifact["rank"] != 0 for artifact in found)
        names = [f"rank-{artifact['rank']}/{artifact['path']}" if several else artifact["path"] for artifact in found]
        received = _Received(Path(directory))
        for artifact, written, name in zip(found, names, _safe_paths(names)):
            received.save(written, name, functools.partial(self._save, artifact))
        received.require_all("the job's page")
        return received.saved

    def _save(self, artifact: Mapping[str, Any], target: Path) -> None:
        artifact_id, size = _require_id(artifact["artifact_id"]), int(artifact["bytes"])
        if target.is_file() and not target.is_symlink() and _hash_file(target)[0] == artifact["sha256"]:
            return
        with _new_file(target) as temporary:

            def save(response: http.client.HTTPResponse) -> None:
                with open(temporary, "wb") as file:
                    for piece in _pieces(response):
                        file.write(piece)
                        if file.tell() > size:
                            break
                if _hash_file(temporary)[0] != artifact["sha256"]:
                    raise Error(f"The download of {target} is incomplete.", code="unreachable")

            self._server.call("GET", f"/api/jobs/{self.id}/artifacts/{artifact_id}", consume=save)

    def _read(self, patience_s: float) -> Dict[str, Any]:
        # A final status never changes. The answer to a submission has no `attempt`.
        if self._detail.get("status") not in _FINAL or "attempt" not in self._detail:
            self._detail = self._server.get(f"/api/status/{self.id}", patience_s=patience_s)
        return self._detail

    def _describe(self, detail: Mapping[str, Any], passed_s: float) -> str:
        status = detail["status"]
        reason = detail.get("reason_text") if status in ("pending", "failed") else None
        why = f" ({reason})" if reason else ""
        return f"job {self.id} {status} after {_format_seconds(passed_s)}{why}"

    def _events(self) -> Iterator[Tuple[str, List[str]]]:
        """The live events. Reconnects behind the last complete event until the job has ended."""
        retry = _Retry(self._server, _WAITING_PATIENCE_S)
        last_id: Optional[str] = None
        while True:
            headers = {"accept": "text/event-stream"}
            if last_id is not None:
                headers["last-event-id"] = last_id
            try:
                with self._server.open(
                    "GET", f"/api/jobs/{self.id}/events", headers=headers, timeout_s=_SILENCE_S
                ) as response:
                    for event, data, event_id in _parse_events(response):
                        retry = _Retry(self._server, _WAITING_PATIENCE_S)
                        yield event, data
                        if event == "end":
                            return
                        last_id = event_id or last_id
                raise Error("The live output broke off.", code="unreachable")
            except (OSError, http.client.HTTPException, Error) as error:
                retry.pause(_to_error(error, self._server.address))


class Group:
    """Many jobs of one program that differ in their parameters. `sweep`, `wave` and `group` return it."""

    def __init__(self, server: _Server, detail: Mapping[str, Any]) -> None:
        self._server = server
        self._detail: Dict[str, Any] = dict(detail)
        self.id: str = _require_id(detail.get("group_id"))

    def __repr__(self) -> str:
        return f"<gpuq.Group {self.id} {_one_line(str(self._detail.get('status', 'running')))}>"

    @property
    def url(self) -> str:
        """The address of the group's page."""
        return f"{self._server.address}/groups/{self.id}"

    @property
    def detail(self) -> Dict[str, Any]:
        """Everything that the server knows about the group: the response of ``GET /api/groups/ID``."""
        self._detail = self._server.get(f"/api/groups/{self.id}")
        return dict(self._detail)

    @property
    def status(self) -> str:
        """``running``, ``completed``, ``failed`` or ``cancelled``, as it is now."""
        return str(self.detail["status"])

    @property
    def done(self) -> bool:
        """Whether all members have ended."""
        return self.detail["ended_at"] is not None

    @property
    def best(self) -> Optional[Dict[str, Any]]:
        """The member with the best objective among those that completed: ``parameters``, ``objective``, ``metrics``,
        ``job_id``. None if there is none yet, or the group has no objective.
        """
        found = self.detail.get("best")
        return None if found is None else dict(found)

    @property
    def members(self) -> List[Dict[str, Any]]:
        """All members in their order, each with ``index``, ``parameters``, ``repeat``, ``status``, ``objective``, ``metrics``
        and ``job_id``. `gpuq.job` takes the id once the member has left ``held``.
        """
        return self._server.pages(f"/api/groups/{self.id}/members", {}, int(self._detail["members"]))

    def wait(self, timeout: Optional[float] = None) -> Group:
        """Wait until all members have ended, and return the group. Members that failed are no error: look at `status`.

        Args:
            timeout: the longest time to wait, in seconds. None: no limit.

        Raises:
            TimeoutError: the group has not ended within `timeout`. It continues.
        """
        begun = time.monotonic()
        with _Progress(self._server.progress) as progress:
            while True:
                passed = time.monotonic() - begun
                left = 60.0 if timeout is None else timeout - passed
                counts = self._detail["counts"]
                ended = counts["completed"] + counts["failed"] + counts["cancelled"]
                query = {"for": "any", "ended": str(ended), "seconds": str(max(0, min(20, int(left))))}
                self._detail = self._server.json(
                    "GET", f"/api/groups/{self.id}/wait", query, patience_s=_WAITING_PATIENCE_S
                )
                progress.show(self._describe())
                if self._detail["ended_at"] is not None:
                    return self
                if timeout is not None and time.monotonic() - begun >= timeout:
                    raise TimeoutError(f"Group {self.id} has not ended within {timeout:g} seconds. It continues.")
                if timeout is not None and left < 1:
                    time.sleep(max(0.0, left))

    def cancel(self) -> Group:
        """Cancel the members that wait and run, and start no other. Return the group."""
        self._detail = self._server.json("POST", f"/api/groups/{self.id}/cancel")
        return self

    def rerun_failed(self) -> Group:
        """Run the members again that failed, each as a new job. Return the group."""
        self._detail = self._server.json("POST", f"/api/groups/{self.id}/rerun-failed")
        return self

    def extend(self, *, samples: Optional[int] = None, repeat: Optional[int] = None) -> Group:
        """Add members, and return the group. Those that it has stay as they are.

        Args:
            samples: how many combinations a random search has afterwards.
            repeat: how often each combination runs afterwards.
        """
        given = {"samples": samples, "repeat": repeat}
        body = json.dumps({key: value for key, value in given.items() if value is not None}).encode()
        headers = {"Content-Type": "application/json"}
        self._detail = self._server.json("POST", f"/api/groups/{self.id}/extend", body=body, headers=headers)
        return self

    def to_csv(self, path: StrPath) -> Path:
        """Write parameters and metrics of all members as CSV, and return the path."""
        members = self.members
        parameters = list(dict.fromkeys(name for one in members for name in one["parameters"]))
        metrics = sorted({name for one in members for name in (*one["metrics"], *one.get("not_finite", ()))})
        target = Path(path)
        with target.open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file)
            head = ["member", *parameters, "repeat", "status", *metrics, "run_seconds", "job_id"]
            rows.writerow([_spreadsheet_cell(name) for name in head])
            for one in members:
                given = [_spreadsheet_cell(one["parameters"].get(name)) for name in parameters]
                # A server of an earlier version does not say it.
                not_finite = one.get("not_finite", ())
                printed = ["NaN" if name in not_finite else one["metrics"].get(name) for name in metrics]
                run = _seconds_between(one["started_at"], one["ended_at"])
                rows.writerow([one["index"], *given, one["repeat"], one["status"], *printed, run, one["job_id"]])
        return target

    def download(self, path: StrPath) -> Path:
        """Save the result files and artifacts of all members, and return the path. A path that ends with ``.tar`` becomes one tar
        file. Every other one becomes a directory with ``group.json``, ``members.csv`` and a directory for each member that has
        files. Names are kept and files left out as by `Job.download`.

        >>> group.download("sweep")
        PosixPath('sweep')
        """
        target = Path(path)

        def save(response: http.client.HTTPResponse) -> None:
            _write(response, target)

        def extract(response: http.client.HTTPResponse) -> _Received:
            return _extract(response, target)

        address = f"/api/groups/{self.id}/files.tar"
        if target.suffix == ".tar":
            self._server.call("GET", address, consume=save)
        else:
            self._server.call("GET", address, consume=extract).require_all("the pages of their jobs")
        return target

    def _describe(self) -> str:
        counts: Dict[str, int] = self._detail["counts"]
        ended = counts["completed"] + counts["failed"] + counts["cancelled"]
        failed = f" ({counts['failed']} failed)" if counts["failed"] > 0 else ""
        return f"group {self.id}: {ended} of {self._detail['members']} ended{failed}, {counts['running']} running"


class Client:
    """A server and a token. Use it if you work with several servers or users.

    >>> lab = gpuq.Client("https://gpu.example.org", token="gpuq_…")
    >>> lab.submit("solution.py").wait().results

    Args:
        server: the address; default: ``GPUQ_URL``, otherwise the server that handed out this file, otherwise the one of
            ``gpuq login``.
        token: default: ``GPUQ_TOKEN``, otherwise the token that ``gpuq login`` stored for this server.
        progress: whether uploads and `Job.wait` show their progress. None: in a notebook and on a terminal.
    """

    def __init__(
        self, server: Optional[str] = None, token: Optional[str] = None, *, progress: Optional[bool] = None
    ) -> None:
        self._server = _Server(*_find_connection(server, token), progress)

    def __repr__(self) -> str:
        return f"<gpuq.Client {self.server}>"

    @property
    def server(self) -> str:
        """The address of the server."""
        return self._server.address

    @overload
    def submit(self, path: Optional[StrPath] = None, *, dry_run: Literal[True], **keys: Any) -> Dict[str, Any]: ...

    @overload
    def submit(
        self,
        path: Optional[StrPath] = None,
        *,
        command: Optional[str] = None,
        config: Union[StrPath, Mapping[str, Any], None] = None,
        gpus: Optional[float] = None,
        deduplicate: bool = False,
        dry_run: Literal[False] = False,
        idempotency_key: Optional[str] = None,
        **keys: Any,
    ) -> Job: ...

    def submit(
        self,
        path: Optional[StrPath] = None,
        *,
        command: Optional[str] = None,
        config: Union[StrPath, Mapping[str, Any], None] = None,
        gpus: Optional[float] = None,
        deduplicate: bool = False,
        dry_run: bool = False,
        idempotency_key: Optional[str] = None,
        **keys: Any,
    ) -> Union[Job, Dict[str, Any]]:
        """Submit a job, and return it without waiting. See `gpuq.submit`."""
        settings, parts, directory = self._read_given(path, command, config, gpus, keys)
        if dry_run:
            return self._post("/api/submit", {"dry_run": "true"}, settings, parts)
        if directory is not None:
            self._check(settings, deduplicate or idempotency_key is not None)
            settings = settings.merge({"archive": self._upload(directory, settings.project_id())})
        query = {"wait": "false", "deduplicate": "true" if deduplicate else "false"}
        key = idempotency_key or str(uuid.uuid4())
        answer = self._post("/api/submit", query, settings, parts, {"idempotency-key": key})
        if answer.get("project_note"):
            _log.warning("%s", visible(answer["project_note"]))
        return Job(self._server, answer)

    @overload
    def sweep(self, path: Optional[StrPath] = None, *, dry_run: Literal[True], **keys: Any) -> Dict[str, Any]: ...

    @overload
    def sweep(
        self,
        path: Optional[StrPath] = None,
        *,
        command: Optional[str] = None,
        config: Union[StrPath, Mapping[str, Any], None] = None,
        gpus: Optional[float] = None,
        matrix: Optional[Mapping[str, Any]] = None,
        dry_run: Literal[False] = False,
        idempotency_key: Optional[str] = None,
        **keys: Any,
    ) -> Group: ...

    def sweep(
        self,
        path: Optional[StrPath] = None,
        *,
        command: Optional[str] = None,
        config: Union[StrPath, Mapping[str, Any], None] = None,
        gpus: Optional[float] = None,
        matrix: Optional[Mapping[str, Any]] = None,
        dry_run: bool = False,
        idempotency_key: Optional[str] = None,
        **keys: Any,
    ) -> Union[Group, Dict[str, Any]]:
        """Submit a group of jobs, and return it without waiting. See `gpuq.sweep`."""
        values, given = _split_parameters(matrix, keys)
        settings, parts, directory = self._read_given(path, command, config, gpus, given)
        if values:
            settings = settings.merge({"matrix": values})
            if not settings.has("args") and not settings.has("command"):
                settings = settings.merge({"args": [word for name in values for word in (f"--{name}", f"{{{name}}}")]})
        if directory is not None and not dry_run:
            settings = settings.merge({"archive": self._upload(directory, settings.project_id())})
        query = {"dry_run": "true"} if dry_run else {}
        key = idempotency_key or str(uuid.uuid4())
        answer = self._post("/api/groups", query, settings, parts, {"idempotency-key": key})
        if dry_run:
            return answer
        for hint in answer.get("hints") or []:
            _log.warning("%s", visible(hint))
        return Group(self._server, answer)

    def budgets(self) -> List[Dict[str, Any]]:
        """Return the budgets that apply to you. See `gpuq.budgets`."""

        def read(response: http.client.HTTPResponse) -> List[Dict[str, Any]]:
            return cast(List[Dict[str, Any]], json.loads(response.read()))

        return self._server.call("GET", "/api/budgets", consume=read)

    def group(self, group_id: str) -> Group:
        """Return the group of jobs with this id. See `gpuq.group`."""
        return Group(self._server, self._server.get(f"/api/groups/{urllib.parse.quote(group_id, safe='')}"))

    def _read_given(
        self,
        path: Optional[StrPath],
        command: Optional[str],
        config: Union[StrPath, Mapping[str, Any], None],
        gpus: Optional[float],
        keys: Mapping[str, Any],
    ) -> Tuple[_Config, List[Tuple[str, str, bytes]], Optional[StrPath]]:
        """The config of a submission, its files, and the directory to upload."""
        given = dict(keys)
        if command is not None:
            given["command"] = command
        if gpus is not None:
            number: Any = gpus
            if isinstance(number, bool) or not isinstance(number, (int, float)):
                raise Error(f"gpus must be a number, such as 2, or 0.5 for half a GPU, not {gpus!r}.")
            given["gpu_fraction" if 0 < gpus < 1 else "gpu_count"] = gpus
        settings = _find_config(config).merge(given)
        if path is None:
            if command is None and not any(settings.has(key) for key in ("command", "archive", "members")):
                raise Error('Nothing to run: give a file, a directory, or command="…".')
            return settings, [], None
        if os.path.isdir(path):
            return settings, [], path
        if settings.has("command"):
            raise Error("A job runs a file or a command. For a command that uses the file, submit its directory.")
        return settings, [("code", "solution.py", _read_program(path))], None

    def _post(
        self,
        address: str,
        query: Mapping[str, str],
        settings: _Config,
        parts: Sequence[Tuple[str, str, bytes]],
        more: Optional[Mapping[str, str]] = None,
    ) -> Dict[str, Any]:
        body, content_type = settings.form(parts)
        headers = {"content-type": content_type, **(more or {})}
        try:
            return self._server.json("POST", address, query, body=body, headers=headers)
        except Error as error:
            raise settings.explain(error) from None

    def _check(self, settings: _Config, may_exist: bool) -> None:
        """Raise what the submission would be refused with, before its directory is sent.

        If an earlier job may be the answer, a taken name (409) or a limit (429) does not refuse the submission. Servers of earlier
        versions have no check, and answer 404.
        """
        body, content_type = settings.form([])
        retry = _Retry(self._server, _PATIENCE_S)
        while True:
            try:
                headers = {"content-type": content_type}
                self._server.open("POST", "/api/submit/check", body=body, headers=headers).close()
                return
            except (OSError, http.client.HTTPException, Error) as error:
                refused = _to_error(error, self.server)
                if refused.status == 404 or (may_exist and refused.status in (409, 429)):
                    return
                retry.pause(settings.explain(refused))

    def job(self, job_id: str) -> Job:
        """Return the job with this id. See `gpuq.job`."""
        return Job(self._server, self._server.get(f"/api/status/{urllib.parse.quote(job_id, safe='')}"))

    def jobs(
        self,
        *,
        status: Optional[str] = None,
        project_id: Optional[str] = None,
        competition_id: Optional[str] = None,
        limit: int = 50,
    ) -> List[Job]:
        """Return your jobs, newest first. See `gpuq.jobs`."""
        filters = {"status": status, "project_id": project_id, "competition_id": competition_id}
        query = {name: value for name, value in filters.items() if value is not None}
        return [Job(self._server, summary) for summary in self._server.pages("/api/jobs", query, limit)]

    # Uploads of directories

    def _upload(self, given: StrPath, project_id: str) -> str:
        """Upload what the server asks for of a directory. Returns the reference for the key `archive`."""
        directory = Path(given)
        limits = self._server.get("/api/archives")
        with _Progress(self._server.progress) as progress:
            entries = _list_directory(directory, limits, progress)
            request = {"project_id": project_id, "entries": entries}
            body = json.dumps(request).encode("ascii")
            headers = {"content-type": "application/json"}
            retry = _Retry(self._server, _PATIENCE_S)
            left = -1
            while True:
                try:
                    state = self._server.json("POST", "/api/archives", body=body, headers=headers)
                except Error as error:
                    raise _name_entries(error, entries) from None
                missing: List[str] = state["missing"]
                if not missing:
                    return str(state["archive"])
                # Progress makes it patient again: an upload over a bad connection still ends.
                if left == -1 or len(missing) < left:
                    retry = _Retry(self._server, _PATIENCE_S)
                else:
                    retry.pause(Error("The server keeps requesting the same files. Contact an admin.", status=503))
                left = len(missing)
                try:
                    self._send(directory, entries, missing, project_id, progress)
                except (OSError, http.client.HTTPException, Error) as error:
                    retry.pause(_to_error(error, self.server))

    def _send(
        self,
        directory: Path,
        entries: Sequence[Mapping[str, Any]],
        missing: Iterable[str],
        project_id: str,
        progress: _Progress,
    ) -> None:
        wanted = set(missing)
        files: List[Mapping[str, Any]] = []
        for entry in entries:
            if entry.get("sha256") in wanted:
                wanted.discard(entry["sha256"])
                files.append(entry)
        meter = _Meter(progress, f"{directory}: sending", sum(file["bytes"] for file in files))
        for batch in _to_batches(files):
            total = sum(40 + file["bytes"] for file in batch)
            headers = {"content-type": "application/octet-stream", "content-length": str(total)}
            query = {"project_id": project_id}
            frames = _Frames(directory, batch, meter)
            try:
                self._server.open(
                    "POST",
                    "/api/archives/blobs",
                    query,
                    body=frames,
                    headers=headers,
                    timeout_s=_UPLOAD_TIMEOUT_S,
                ).close()
            except (OSError, http.client.HTTPException, Error) as error:
                if frames.problem is not None:
                    raise frames.problem from None
                # The requests are well formed: a 400 means that the body broke off on its way.
                if isinstance(error, Error) and error.status == 400:
                    raise Error(str(error), code="unreachable") from None
                if isinstance(error, Error) and error.status == 422 and len(batch) == 1:
                    raise _changed(directory / str(batch[0]["path"])) from None
                raise


# Connections


class _Server:
    """Sends requests to a server with a token, and repeats them."""

    def __init__(self, address: str, token: str, progress: Optional[bool]) -> None:
        self.address = address
        self.progress = progress
        self.reached = False
        """Whether it has answered before."""
        self._token = token
        self._opener = urllib.request.build_opener(_RefuseRedirects())

    def get(self, path: str, *, patience_s: float = _PATIENCE_S) -> Dict[str, Any]:
        return self.json("GET", path, patience_s=patience_s)

    def pages(self, path: str, query: Mapping[str, str], limit: int) -> List[Dict[str, Any]]:
        """The items of a list in pages, at most so many."""
        asked = dict(query)
        found: List[Dict[str, Any]] = []

        def read_page(response: http.client.HTTPResponse) -> Tuple[List[Dict[str, Any]], Optional[str]]:
            return json.loads(response.read()), _next_cursor(response.headers.get("link"))

        while len(found) < limit:
            asked["limit"] = str(min(200, limit - len(found)))
            page, cursor = self.call("GET", path, asked, consume=read_page)
            found.extend(page)
            if cursor is None:
                break
            asked["cursor"] = cursor
        return found

    def json(
        self,
        method: str,
        path: str,
        query: Optional[Mapping[str, str]] = None,
        *,
        body: Optional[bytes] = None,
        headers: Optional[Mapping[str, str]] = None,
        patience_s: float = _PATIENCE_S,
    ) -> Dict[str, Any]:
        def parse(response: http.client.HTTPResponse) -> Dict[str, Any]:
            return cast(Dict[str, Any], json.loads(response.read()))

        return self.call(
            method, path, query, body=body, headers=headers, patience_s=patience_s, consume=parse
        )

    def call(
        self,
        method: str,
        path: str,
        query: Optional[Mapping[str, str]] = None,
        *,
        consume: Callable[[http.client.HTTPResponse], _Value],
        body: Optional[bytes] = None,
        headers: Optional[Mapping[str, str]] = None,
        patience_s: float = _PATIENCE_S,
    ) -> _Value:
        """Send a request until it is answered. The caller must be able to repeat it."""
        retry = _Retry(self, patience_s)
        while True:
            try:
                with self.open(method, path, query, body=body, headers=headers) as response:
                    return consume(response)
            except ValueError:
                message = f"{self.address} answered with something else than gpuq's API. Check the address."
                raise _explain_address(Error(message, status=200, code="unexpected"), self.address) from None
            except (OSError, http.client.HTTPException, Error) as error:
                if isinstance(error, OSError) and not _is_network_error(error):
                    raise
                retry.pause(_to_error(error, self.address))

    def open(
        self,
        method: str,
        path: str,
        query: Optional[Mapping[str, str]] = None,
        *,
        body: Union[bytes, Iterable[bytes], None] = None,
        headers: Optional[Mapping[str, str]] = None,
        timeout_s: float = _REQUEST_TIMEOUT_S,
    ) -> http.client.HTTPResponse:
        """Send a request once. Raises Error for an answer that is no success."""
        search = f"?{urllib.parse.urlencode(query)}" if query else ""
        sent = {
            "accept": "application/json",
            "user-agent": "gpuq-python",
            **(headers or {}),
            "authorization": f"Bearer {self._token}",
        }
        if method == "POST" and body is None:
            body = b""
        request = urllib.request.Request(f"{self.address}{path}{search}", cast(Any, body), sent, method=method)
        try:
            response = self._opener.open(request, timeout=timeout_s)
        except urllib.error.HTTPError as answer:
            with answer:
                error = _explain_address(_read_problem(answer), self.address)
            self.reached = self.reached or error.code != "unexpected"
            raise error from None
        self.reached = True
        return cast(http.client.HTTPResponse, response)


class _RefuseRedirects(urllib.request.HTTPRedirectHandler):
    """A redirected request would lose its body, or carry the token to another server."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> Optional[urllib.request.Request]:
        asked, place = urllib.parse.urlsplit(req.full_url), urllib.parse.urlsplit(newurl)
        message = f"The server redirects to {place.scheme}://{place.netloc}. If this is your server, use that address."
        if (place.scheme, place.netloc) == (asked.scheme, asked.netloc):
            message = f"The server redirects to {place.path}, so this is not the address of gpuq's API. Check the address."
        raise Error(message, status=code, code="unexpected")


class _Retry:
    """Decides whether and when a failed request is repeated."""

    def __init__(self, server: _Server, patience_s: float) -> None:
        self._server = server
        self._patience_s = patience_s
        self._begun = time.monotonic()
        self._failures = 0

    def pause(self, error: Error) -> None:
        """Wait before the next try. Raises the error if no more tries make sense."""
        self._failures += 1
        passed = time.monotonic() - self._begun
        # A server that says when to come back is there. Its limits end within minutes.
        if error.retry_after is not None:
            patience = _WAITING_PATIENCE_S
        else:
            # A wrong address must not look like a slow server.
            patience = self._patience_s if self._server.reached else _FIRST_CONTACT_S
        delay_s = max(error.retry_after or 0.0, min(5.0, 0.25 * 2 ** min(self._failures, 6)))
        if not error.is_temporary or passed + delay_s > patience:
            raise error
        _log.log(logging.WARNING if delay_s >= 5 else logging.INFO, "%s Trying again in %.0f s.", error, delay_s)
        time.sleep(delay_s)


def _is_network_error(error: OSError) -> bool:
    # A full disk or a missing file is an OSError too.
    return isinstance(error, (urllib.error.URLError, ConnectionError, TimeoutError)) or type(error).__module__ in (
        "socket",
        "ssl",
    )


def _to_error(error: Exception, server: str) -> Error:
    if isinstance(error, Error):
        return error
    if isinstance(error, OSError) and not _is_network_error(error):
        raise error
    cause = error.reason if isinstance(error, urllib.error.URLError) else error
    text = str(cause) or type(cause).__name__
    if "CERTIFICATE_VERIFY_FAILED" in text:
        message = f"The certificate of {server} is not trusted: {text}. Set SSL_CERT_FILE to your certificates."
        return Error(message, code="untrusted")
    message = f"{server} did not answer ({text}). Check the address and the connection."
    return Error(message, code="unreachable")


def _read_problem(answer: urllib.error.HTTPError) -> Error:
    retry_after = _parse_retry_after(answer.headers.get("retry-after"))
    try:
        problem: Any = json.loads(answer.read())
        message, code = str(problem["detail"]), str(problem["code"])
        errors: List[Dict[str, Any]] = problem.get("errors") or []
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
        words = f"{answer.code} {answer.reason}".strip()
        message = f"The server answered {words}, without saying why. Try again in a moment."
        code, errors = "unexpected", []
    return Error(message, status=answer.code, code=code, errors=errors, retry_after=retry_after)


_OWN_SEGMENTS = (
    "accounting",
    "admin",
    "api",
    "cluster",
    "competitions",
    "docs",
    "experiments",
    "groups",
    "invitations",
    "jobs",
    "join",
    "projects",
    "settings",
    "shared",
    "sign-in",
    "submit",
    "tokens",
)
"""The first segments of the paths of gpuq's own pages and of its API."""


def _explain_address(error: Error, server: str) -> Error:
    """What to change in the address, if an answer shows that gpuq is not at this path; otherwise the same error."""
    parts = urllib.parse.urlsplit(server)
    segments = [segment for segment in parts.path.split("/") if segment != ""]
    elsewhere = error.status == 405 or (
        error.status in (200, 404)
        if error.code == "unexpected"
        else error.status == 404 and str(error).startswith("No operation has the path")
    )
    if not segments or not elsewhere:
        return error
    own = next((at for at, segment in enumerate(segments) if segment in _OWN_SEGMENTS), None)
    what = "An address has only scheme, host and port, and the path below which gpuq is, if it has one."
    message = f"{server} is not the address of a gpuq server. {what}"
    if own is not None:
        address = "/".join([f"{parts.scheme}://{parts.netloc}", *segments[:own]])
        kind = "gpuq's API" if segments[own] == "api" else "one of gpuq's pages"
        message = f"{server} is not the address of a gpuq server, but of {kind}. {what} Use {address}."
    return Error(message, status=error.status, code="unexpected")


def _parse_retry_after(header: Optional[str]) -> Optional[float]:
    if header is None:
        return None
    if re.fullmatch(r"\s*\d+\s*", header):
        return float(header)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(header).timestamp() - time.time())
    except (TypeError, ValueError):
        return None


def _next_cursor(header: Optional[str]) -> Optional[str]:
    """The cursor of the next page, from a `Link` header."""
    for target, parameters in re.findall(r"<([^>]*)>([^<]*)", header or ""):
        if re.search(r';\s*rel="?next"?\s*(?:[;,]|$)', parameters):
            found = urllib.parse.parse_qs(urllib.parse.urlsplit(str(target)).query).get("cursor")
            return found[0] if found else None
    return None


def _find_connection(server: Optional[str], token: Optional[str]) -> Tuple[str, str]:
    chosen = server or os.environ.get("GPUQ_URL") or os.environ.get("GPUQ_SERVER") or DEFAULT_SERVER
    # A file with the line ends of Windows leaves a carriage return at the end of a variable.
    token = (token or os.environ.get("GPUQ_TOKEN") or "").strip()
    stored = {} if chosen and token else _read_login()
    address = _parse_server(chosen or str(stored.get("server") or ""))
    if token == "":
        known: Any = stored.get("token") if stored.get("server") == address else None
        tokens: Any = stored.get("tokens")
        if known is None and isinstance(tokens, dict):
            known = cast(Dict[str, Any], tokens).get(address)
        token = known.strip() if isinstance(known, str) else ""
    if token == "":
        raise Error(
            f"No token found for {address}. Create one on {address}/tokens, then set GPUQ_TOKEN or give token=\"…\".",
            code="unauthenticated",
        )
    if not re.fullmatch(r"[\x21-\x7e]+", token):
        raise Error("The token has a space or a character that no token has. Copy it again.", code="unauthenticated")
    return address, token


def _read_login() -> Dict[str, Any]:
    """What `gpuq login` stored. Its tokens are only for their own servers."""
    given = os.environ.get("XDG_CONFIG_HOME", "")
    home = Path(os.environ.get("HOME") or os.path.expanduser("~"))
    path = (Path(given) if os.path.isabs(given) else home / ".config") / "gpuq" / "config.json"
    try:
        stored: Any = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError):
        stored = None
    if not isinstance(stored, dict):
        raise Error(f"{path} is damaged. Run `gpuq login` to replace it, or set GPUQ_URL and GPUQ_TOKEN.")
    return cast(Dict[str, Any], stored)


def _parse_server(given: str) -> str:
    text = given.strip()
    if text == "":
        raise Error('Which server? Set GPUQ_URL, or give server="https://gpu.example.org".')
    if not re.match(r"[A-Za-z]+://", text):
        local = re.match(r"(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|/|$)", text)
        text = f"{'http' if local else 'https'}://{text}"
    refused = Error(f'"{given}" is not a server address. Use one such as http://gpu.example.org:8001.')
    try:
        url = urllib.parse.urlsplit(text)
        valid = url.scheme.lower() in ("http", "https") and bool(url.hostname) and (url.port or 1) > 0
    except ValueError:
        raise refused from None
    if not valid or "@" in url.netloc or url.query or url.fragment:
        raise refused
    return f"{url.scheme.lower()}://{url.netloc.lower()}{url.path.rstrip('/')}"


# Config


class _Config:
    """The config of a submission: the text of a file, and keys that come with the call."""

    def __init__(self, source: str, text: str, keys: Dict[str, Any], arguments: FrozenSet[str] = frozenset()) -> None:
        self.source = source
        self._text = text
        self._keys = keys
        self._arguments = arguments
        """The keys that came as arguments of the call."""

    @property
    def token(self) -> Optional[str]:
        return _optional_text(self._keys.get("token")) or self._scalar("token")

    def has(self, key: str) -> bool:
        return key in self._keys or self._line(key) is not None

    def merge(self, given: Mapping[str, Any]) -> _Config:
        """With the keys of a call. A key of the file cannot be given twice, because only one value can be meant."""
        twice = [key for key in given if self._line(key) is not None]
        if twice:
            raise Error(f"{self.source} sets {twice[0]}, and so does the call. Remove one of the two.")
        merged = {**self._keys, **given}
        for key, other in (("gpu_count", "gpu_fraction"), ("gpu_fraction", "gpu_count")):
            if key in given and other not in given:
                merged.pop(other, None)
        return _Config(self.source, self._text, merged, self._arguments.union(given))

    def project_id(self) -> str:
        """The project that stores an uploaded directory."""
        if self._text == "":
            return str(self._keys.get("project_id", "default"))
        project = _optional_text(self._keys.get("project_id")) or self._scalar("project_id")
        if project is None:
            raise Error(f'{self.source} has no project_id. Add one, such as project_id: "my-project".')
        return project

    def text(self) -> str:
        keys = self._keys
        if self._text == "":
            defaults: Dict[str, Any] = {"competition_id": "default", "project_id": "default"}
            if "expected_time" not in keys:
                # An hour for the forecasts. Without an estimate, only the server's limit stops the job.
                defaults.update({"expected_time": 3600, "max_time": 2_000_000})
            keys = {**defaults, **keys}
        try:
            values = {
                key: json.dumps(value, ensure_ascii=False, allow_nan=False, default=_id_of)
                for key, value in keys.items()
            }
        except (TypeError, ValueError) as error:
            raise Error(f"The config has a value that is no text, number, list or dict: {error}.") from None
        return self._text + "".join(f"{key}: {value}\n" for key, value in values.items())

    def form(self, parts: Sequence[Tuple[str, str, bytes]]) -> Tuple[bytes, str]:
        """The body of a submission, and its media type."""
        return _multipart([*parts, ("config_file", "config.yaml", self.text().encode("utf-8"))])

    def explain(self, error: Error) -> Error:
        """An error without the lines of a config that was never written to a file."""
        if self._text != "" or not error.errors:
            return error
        message = "; ".join(f"{wrong.get('path')}: {self._with_arguments(wrong)}" for wrong in error.errors)
        return Error(
            message, status=error.status, code=error.code, errors=error.errors, retry_after=error.retry_after
        )

    def _with_arguments(self, wrong: Mapping[str, Any]) -> str:
        """A message that suggests the argument gpus for a wrong argument, not the key that it sets."""
        message = str(wrong.get("message"))
        return message.replace("`gpu_count`?", "`gpus`?") if wrong.get("path") in self._arguments else message

    def _line(self, key: str) -> Optional[str]:
        found = re.search(rf"^([\"']?){re.escape(key)}\1[ \t]*:(.*)$", self._text, re.MULTILINE)
        return None if found is None else found.group(2)

    def _scalar(self, key: str) -> Optional[str]:
        found = re.fullmatch(r"\s*([\"']?)([A-Za-z0-9][A-Za-z0-9._-]*)\1\s*(?:#.*)?", self._line(key) or "")
        return None if found is None else found.group(2)


# Keys of config.yaml whose values are lists or dicts. Other keywords with such a value are parameters of a sweep.
_LIST_KEYS = frozenset(
    (
        "allowed_gpus",
        "args",
        "depends_on",
        "env",
        "members",
        "mounts",
        "objective",
        "provision_args",
        "retry_on",
        "stop",
        "tags",
    )
)


def _split_parameters(
    matrix: Optional[Mapping[str, Any]], keys: Mapping[str, Any]
) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """The values of the parameters, and the keys of the config."""
    values: Dict[str, Any] = dict(matrix or {})
    given: Dict[str, Any] = {}
    for name, value in keys.items():
        if name in _LIST_KEYS or not isinstance(value, (list, tuple, range, dict)):
            given[name] = value
        elif name in values:
            raise Error(f"The parameter {name} is in matrix, and a keyword. Remove one of the two.")
        else:
            values[name] = value
    return {name: list(one) if isinstance(one, (tuple, range)) else one for name, one in values.items()}, given


def _id_of(value: object) -> str:
    """The id of a job or a group, which a config can have in place of the id."""
    if isinstance(value, (Job, Group)):
        return value.id
    raise TypeError(f"{type(value).__name__} is none of these")


def _spreadsheet_cell(value: Any) -> Any:
    """A text that a spreadsheet would calculate gets a quote before it."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value


def _find_config(given: Union[StrPath, Mapping[str, Any], None]) -> _Config:
    if given is None:
        return _Config("config", "", {})
    if isinstance(given, Mapping):
        return _Config("config", "", dict(given))
    try:
        text = Path(given).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise Error(f"{given} is not UTF-8. Save it as UTF-8.") from None
    except OSError as error:
        raise _unreadable(given, error) from None
    try:
        parsed: Any = json.loads(text)
    except ValueError:
        parsed = None
    if isinstance(parsed, dict):
        return _Config(os.fspath(given), "", cast(Dict[str, Any], parsed))
    return _Config(os.fspath(given), text if text.endswith("\n") else f"{text}\n", {})


def _optional_text(value: Any) -> Optional[str]:
    return value if isinstance(value, str) and value != "" else None


def _read_program(path: StrPath) -> bytes:
    name = os.fspath(path)
    if not os.path.exists(name):
        raise Error(f"Cannot read {name}: no such file or directory.")
    if name.endswith(".ipynb"):
        raise Error(f"{name} is a notebook. Convert it with `jupyter nbconvert --to script`, and submit the .py file.")
    if name.endswith((".zip", ".tar", ".tgz", ".tar.gz")):
        raise Error(f"{name} is an archive. Unpack it, and submit its directory.")
    if name.endswith(".sh"):
        raise Error(f'{name} is a shell script. Submit its directory, with entrypoint="{os.path.basename(name)}".')
    if name.endswith((".yaml", ".yml")):
        raise Error(f'{name} is a config. Give it as config="{name}", and the program or directory before it.')
    if not name.endswith(".py"):
        message = f'{name} is no .py file. Submit its directory, with command="…" for what should run.'
        raise Error(message)
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from None


def _multipart(parts: Iterable[Tuple[str, str, bytes]]) -> Tuple[bytes, str]:
    boundary = uuid.uuid4().hex
    body = b""
    for name, filename, content in parts:
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"; filename="{filename}"\r\n\r\n'
        body += head.encode("ascii") + content + b"\r\n"
    return body + f"--{boundary}--\r\n".encode("ascii"), f"multipart/form-data; boundary={boundary}"


# Directories


class _Pattern(NamedTuple):
    """A line of a rules file, as git reads it. Not anchored: it is for the last name of a path."""

    text: str
    # The path of the rules file; None: a default rule.
    file: Optional[str]
    negated: bool
    only_directories: bool
    anchored: bool
    expression: re.Pattern[str]
    # An expression for each name of the pattern; None: any number of names.
    names: Tuple[Optional[re.Pattern[str]], ...]


_RULE_FILES = (".gitignore", ".gpuqignore")
_DEFAULTS = (".venv", "__pycache__", "node_modules", ".env", ".env.local", ".env.*.local")
_CLASSES = {
    "alpha": ("AZ", "az"),
    "digit": ("09",),
    "alnum": ("09", "AZ", "az"),
    "upper": ("AZ",),
    "lower": ("az",),
    "xdigit": ("09", "AF", "af"),
    "space": ("\t\r", "  "),
    "blank": ("\t\t", "  "),
    "punct": ("!/", ":@", "[`", "{~"),
    "print": (" ~",),
    "graph": ("!~",),
    "cntrl": ("\0\x1f", "\x7f\x7f"),
}


def _parse_pattern(line: str, file: Optional[str]) -> Optional[_Pattern]:
    """None if the line is no rule, or is one that matches nothing."""
    if line.startswith("#"):
        return None
    text = re.sub(r"(?<!\\) +$", "", line)
    negated = text.startswith("!")
    path = (text[1:] if negated else text).replace("\\/", "/")
    only_directories = path.endswith("/")
    path = path[:-1] if only_directories else path
    anchored = "/" in path
    if path == "":
        return None
    texts = (path[1:] if path.startswith("/") else path).split("/")
    try:
        names = [None if re.fullmatch(r"\*{2,}", text) else _translate_name(text) for text in texts]
    except ValueError:
        return None
    if anchored:
        # `a/**` is what lies in `a`, and not `a` itself.
        last = len(names) - 1
        expression = "".join(
            ("(?:[^/]+/)*[^/]+" if at == last else "(?:[^/]+/)*") if name is None else name + ("" if at == last else "/")
            for at, name in enumerate(names)
        )
    else:
        expression = names[0] or "[^/]*"
    compiled = tuple(None if name is None else re.compile(name, re.DOTALL) for name in names)
    return _Pattern(line.strip(), file, negated, only_directories, anchored, re.compile(expression, re.DOTALL), compiled)


def _translate_name(glob: str) -> str:
    """A regular expression for the pattern of one name. A ValueError: it matches nothing."""
    at, found = 0, ""
    while at < len(glob):
        letter = glob[at]
        at += 1
        if letter == "*":
            found += "" if found.endswith("[^/]*") else "[^/]*"
        elif letter == "?":
            found += "[^/]"
        elif letter == "[":
            part, at = _translate_set(glob, at)
            found += part
        elif letter == "\\":
            if at == len(glob):
                raise ValueError("a backslash at the end")
            found += re.escape(glob[at])
            at += 1
        else:
            found += re.escape(letter)
    return found


def _translate_set(glob: str, start: int) -> Tuple[str, int]:
    """A set of characters such as [!a-z_], from behind its bracket, and the place behind its end."""
    negated = glob[start : start + 1] in ("!", "^")
    first = at = start + 1 if negated else start
    found = ""
    while at < len(glob):
        if glob[at] == "]" and at > first:
            mark = "^" if negated else ""
            # No character is in an empty set.
            return (f"[{mark}{found}]" if found else "[^/]" if negated else "(?!)"), at + 1
        named = re.compile(r"\[:([a-z]*):\]").match(glob, at)
        if named:
            if named.group(1) not in _CLASSES:
                raise ValueError("an unknown class")
            found += "".join(f"{re.escape(span[0])}-{re.escape(span[1])}" for span in _CLASSES[named.group(1)])
            at = named.end()
            continue
        at += 1 if glob[at] == "\\" else 0
        low = high = glob[at : at + 1]
        at += 1
        if glob[at : at + 1] == "-" and glob[at + 1 : at + 2] not in ("", "]"):
            at += 2 if glob[at + 1] == "\\" else 1
            high = glob[at : at + 1]
            at += 1
        if low == "" or high == "":
            break
        found += f"{re.escape(low)}-{re.escape(high)}" if low <= high else ""
    raise ValueError("a set without an end")


class _Verdict(NamedTuple):
    """Whether a path is sent: if it has no rule. Final: nothing below the directory is sent."""

    rule: Optional[_Pattern]
    final: bool


_SENT = _Verdict(None, False)


class _IgnoreRules:
    """Decides which files are sent. The first that says something decides: .gpuqignore, then what git tracks (it is sent), then
    .gitignore, then the defaults. The rules of a deeper directory come before those above it. Paths are relative to `base`."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self._rules: Dict[str, Dict[str, List[_Pattern]]] = {}
        self._defaults = [rule for rule in (_parse_pattern(text, None) for text in _DEFAULTS) if rule is not None]
        self._tracked: Set[str] = set()
        self._tracked_directories: Set[str] = set()

    def place(self, path: Path) -> str:
        inside = os.path.relpath(path, self.base).replace(os.sep, "/")
        return "" if inside == "." else inside

    def add(self, directory: Path) -> None:
        """Add the rules files of a directory."""
        place = self.place(directory)
        for name in _RULE_FILES:
            try:
                text = (directory / name).read_text(encoding="utf-8-sig", errors="surrogateescape")
            except (FileNotFoundError, IsADirectoryError):
                continue
            except OSError as error:
                raise _unreadable(directory / name, error) from None
            file = f"{place}/{name}" if place else name
            rules = [_parse_pattern(line.rstrip("\r"), file) for line in text.split("\n")]
            self._rules.setdefault(place, {})[name] = [rule for rule in rules if rule is not None]

    def track(self, directory: Path) -> bool:
        """Add what git tracks in the repository at a directory, if it is one. False: its index cannot be read."""
        path = _find_index(directory)
        while path is not None:
            try:
                content = path.read_bytes()
            except FileNotFoundError:
                return True
            except OSError as error:
                raise _unreadable(path, error) from None
            index = _read_index(content)
            if index is None:
                return False
            for name, is_file in index.names:
                place = unicodedata.normalize("NFC", self.place(directory / name))
                if is_file:
                    self._tracked.add(place)
                parent = os.path.dirname(place) if is_file else place
                while parent and parent not in self._tracked_directories:
                    self._tracked_directories.add(parent)
                    parent = os.path.dirname(parent)
            path = path.parent / f"sharedindex.{index.shared}" if index.shared else None
        return True

    def judge(self, path: str, is_directory: bool, above: _Verdict) -> _Verdict:
        """The verdict on a path whose directory has the verdict `above`."""
        if above.final:
            return above
        found = self._find(path, is_directory)
        if found is not None and found.file is not None and found.file.endswith(".gpuqignore"):
            if not found.negated:
                return _Verdict(found, True)
            # As in git, a name alone does not bring a file back whose directory is excluded.
            if above.rule is None or found.anchored:
                return _SENT
        if not is_directory and unicodedata.normalize("NFC", path) in self._tracked:
            return _SENT
        if above.rule is not None:
            return above
        return _SENT if found is None or found.negated else _Verdict(found, False)

    def may_enter(self, directory: str, verdict: _Verdict) -> bool:
        """Whether a directory with this verdict may have files that are sent."""
        if verdict.rule is None or verdict.final:
            return verdict.rule is None
        if unicodedata.normalize("NFC", directory) in self._tracked_directories:
            return True
        names = directory.split("/")
        for depth in range(len(names)):
            for rule in self._rules.get("/".join(names[:depth]), {}).get(".gpuqignore", ()):
                if rule.negated and rule.anchored and _may_match_below(rule, names[depth:]):
                    return True
        return False

    def _find(self, path: str, is_directory: bool) -> Optional[_Pattern]:
        """The rule that decides on a path, by its own name alone."""
        names = path.split("/")
        levels = [(self._rules.get("/".join(names[:depth]), {}), names[depth:]) for depth in range(len(names))]
        for name in (".gpuqignore", ".gitignore"):
            for rules, inside in reversed(levels):
                found = _find_last(rules.get(name, ()), inside, is_directory)
                if found is not None:
                    return found
        return _find_last(self._defaults, names, is_directory)


def _find_last(rules: Sequence[_Pattern], names: Sequence[str], is_directory: bool) -> Optional[_Pattern]:
    if not rules:
        return None
    path, last = "/".join(names), names[-1]
    for rule in reversed(rules):
        if rule.only_directories and not is_directory:
            continue
        if rule.expression.fullmatch(path if rule.anchored else last):
            return rule
    return None


def _may_match_below(rule: _Pattern, names: Sequence[str]) -> bool:
    for at, name in enumerate(names):
        if at >= len(rule.names):
            return False
        expression = rule.names[at]
        if expression is None:
            return True
        if not expression.fullmatch(name):
            return False
    return len(rule.names) > len(names) or rule.names[-1] is None


class _Index(NamedTuple):
    # Paths of files, and of submodules with False.
    names: List[Tuple[str, bool]]
    # The index has only the changes to the file sharedindex.HASH beside it.
    shared: str


def _find_index(directory: Path) -> Optional[Path]:
    """The index of a repository: in .git, or where the file .git of a worktree or submodule points."""
    there = directory / ".git"
    if there.is_dir():
        return there / "index"
    try:
        found = re.match(r"gitdir: (.+?)\r?\n?$", there.read_text(encoding="utf-8", errors="surrogateescape"))
    except OSError:
        return None
    return directory / found.group(1) / "index" if found else None


def _read_index(content: bytes) -> Optional[_Index]:
    """Read git's index in the versions 2 to 4, with SHA-1 or SHA-256. None if it is none of these."""
    if content[:4] != b"DIRC" or len(content) < 12:
        return None
    version = int.from_bytes(content[4:8], "big")
    if not 2 <= version <= 4:
        return None
    for hash_bytes in (20, 32):
        try:
            return _parse_index(content, version, hash_bytes)
        except ValueError:
            pass
    return None


def _parse_index(content: bytes, version: int, hash_bytes: int) -> _Index:
    """Raises a ValueError if the entries do not end where the index says: the hashes have another length."""
    found = _Index([], "")
    at, name = 12, b""
    for _ in range(int.from_bytes(content[8:12], "big")):
        start = at
        mode = int.from_bytes(content[start + 24 : start + 28], "big") & 0o170000
        at = start + 40 + hash_bytes
        if at + 2 > len(content):
            raise ValueError("an entry without an end")
        # An extended entry has two more bytes.
        at += 4 if content[at] & 0x40 else 2
        if version == 4:
            cut = content[at] & 127
            while content[at] & 128:
                at += 1
                cut = ((cut + 1) << 7) + (content[at] & 127)
            at += 1
            end = content.index(0, at)
            name = name[: max(0, len(name) - cut)] + content[at:end]
            at = end + 1
        else:
            end = content.index(0, at)
            name = content[at:end]
            at = start + (end - start + 8) // 8 * 8
        if name and mode in (0o100000, 0o120000, 0o160000):
            found.names.append((os.fsdecode(name), mode != 0o160000))
    shared = ""
    while at < len(content) - hash_bytes:
        if content[at : at + 4] == b"link":
            shared = content[at + 8 : at + 8 + hash_bytes].hex()
        at += 8 + int.from_bytes(content[at + 4 : at + 8], "big")
    if at != len(content) - hash_bytes:
        raise ValueError("not the end of the entries")
    return _Index(found.names, shared if shared.strip("0") else "")


class _LeftOut:
    """Counts what is not sent, by the rule that excludes it."""

    def __init__(self) -> None:
        self._files: Dict[str, int] = {}
        self._empty: List[str] = []
        self._unknown: List[str] = []
        self._overridable = False
        self._exact = True

    def add(self, rule: _Pattern, files: int, exact: bool = True) -> None:
        self._overridable = self._overridable or not (rule.file or "").endswith(".gpuqignore")
        self._exact = self._exact and exact
        self._count(f"{rule.text} ({rule.file or 'default'})", files)

    def add_special(self, path: str) -> None:
        self._count(f"{path} (not a file)", 1)

    def add_empty_directory(self, path: str) -> None:
        self._empty.append(f"{path}/")

    def add_unknown_index(self, path: str) -> None:
        self._unknown.append(path)

    def describe(self) -> Optional[str]:
        """One line for the user; None if everything is sent."""
        total = sum(self._files.values())
        parts: List[str] = []
        if total > 0:
            rules = sorted(self._files, key=lambda rule: (-self._files[rule], rule))
            more = "" if self._exact else "more than "
            parts.append(f"{more}{total:,} {'file' if total == 1 else 'files'}: {_name_some(rules)}")
        if self._empty:
            kind = "empty directory" if len(self._empty) == 1 else "empty directories"
            parts.append(f"{len(self._empty):,} {kind}: {_name_some(self._empty)}")
        sentences = [f"Not sent: {'; '.join(parts)}."] if parts else []
        if self._overridable and total > 0:
            sentences.append("To send some of them, add a line !NAME to .gpuqignore.")
        if self._unknown and total > 0:
            names = _name_some(self._unknown)
            sentences.append(f"gpuq cannot read the index of {names}, so it does not know what git tracks.")
        return visible(" ".join(sentences)) if sentences else None

    def _count(self, label: str, files: int) -> None:
        if files > 0:
            self._files[label] = self._files.get(label, 0) + files


def _name_some(names: Sequence[str]) -> str:
    rest = len(names) - 5
    return ", ".join(names[:5]) + (f" and {rest} more" if rest > 0 else "")


class _Found(NamedTuple):
    path: str
    size: int
    executable: bool
    target: Optional[str]


def _walk(directory: Path) -> Tuple[List[_Found], _LeftOut]:
    """The files and links to upload: all except `.git` and what the ignore rules exclude. And what is left out."""
    root = Path(os.path.realpath(directory))
    rules = _rules_above(root)
    found: List[_Found] = []
    left_out = _LeftOut()

    def enter(place: Path, verdict: _Verdict) -> None:
        rules.add(place)
        inside_root = os.path.relpath(place, root).replace(os.sep, "/")
        if not rules.track(place):
            left_out.add_unknown_index(".git" if place == root else f"{inside_root}/.git")
        try:
            entries = sorted(os.scandir(place), key=lambda entry: entry.name)
        except OSError as error:
            raise _unreadable(place, error) from None
        if not entries and place != root and verdict.rule is None:
            left_out.add_empty_directory(inside_root)
        for entry in entries:
            if entry.name == ".git":
                continue
            is_directory = entry.is_dir(follow_symlinks=False)
            for_rules = rules.place(Path(entry.path))
            own = rules.judge(for_rules, is_directory, verdict)
            inside = os.path.relpath(entry.path, root).replace(os.sep, "/")
            if is_directory and rules.may_enter(for_rules, own):
                enter(Path(entry.path), own)
            elif own.rule is not None:
                files = _count_files(entry.path) if is_directory else 1
                left_out.add(own.rule, files, files < _MOST_COUNTED)
            elif entry.is_symlink():
                found.append(_Found(inside, 0, False, os.readlink(entry.path)))
            elif entry.is_file(follow_symlinks=False):
                stats = entry.stat(follow_symlinks=False)
                found.append(_Found(inside, stats.st_size, bool(stats.st_mode & stat.S_IXUSR), None))
            else:
                left_out.add_special(inside)

    enter(root, _SENT)
    return found, left_out


def _count_files(directory: str) -> int:
    """The number of files and links below a directory. Stops at a limit, and skips what cannot be read."""
    count = 0
    for place, directories, files in os.walk(directory):
        count += len(files) + sum(os.path.islink(os.path.join(place, name)) for name in directories)
        if count >= _MOST_COUNTED:
            break
    return count


def _rules_above(root: Path) -> _IgnoreRules:
    """The rules of the surrounding repository, unless they exclude the directory itself."""
    repository = next((place for place in (root, *root.parents) if os.path.lexists(place / ".git")), root)
    if repository == root:
        return _IgnoreRules(root)
    rules = _IgnoreRules(repository)
    between = [place for place in reversed(root.parents) if place == repository or repository in place.parents]
    verdict = _SENT
    for place in between:
        rules.add(place)
        below = between[between.index(place) + 1] if place != between[-1] else root
        verdict = rules.judge(rules.place(below), True, verdict)
    if verdict.rule is not None:
        rules = _IgnoreRules(root)
    rules.track(repository)
    return rules


def _list_directory(directory: Path, limits: Mapping[str, Any], progress: _Progress) -> List[Dict[str, Any]]:
    """The path, size and hash of each file. Refuses a directory that is too large before reading it."""
    found, left_out = _walk(directory)
    not_sent = left_out.describe()
    if not_sent is not None and found:
        _log.warning("%s", not_sent)
    total = sum(entry.size for entry in found)
    advice = "List files that the job does not need in .gitignore or .gpuqignore."
    if not found:
        raise Error(f"{directory} has no files to send." + (f" {not_sent}" if not_sent else ""))
    if len(found) > limits["max_entries"]:
        raise Error(f"{directory} has {len(found)} files, but the limit is {limits['max_entries']}. {advice}")
    if total > limits["max_bytes"]:
        largest = sorted(found, key=lambda entry: -entry.size)[:5]
        names = "".join(f"\n  {_format_bytes(entry.size):>9}  {entry.path}" for entry in largest)
        size, limit = _format_bytes(total), _format_bytes(limits["max_bytes"])
        raise Error(f"{directory} has {size}, but the limit is {limit}. {advice} The largest files:{names}")
    meter = _Meter(progress, f"{directory}: reading", total)
    entries: List[Dict[str, Any]] = []
    for entry in found:
        if entry.target is not None:
            entries.append({"path": entry.path, "target": entry.target.replace(os.sep, "/")})
            continue
        try:
            sha256, count = _hash_file(directory / entry.path, meter)
        except OSError as error:
            raise _unreadable(directory / entry.path, error) from None
        file: Dict[str, Any] = {"path": entry.path, "bytes": count, "sha256": sha256}
        if entry.executable:
            file["executable"] = True
        entries.append(file)
    return entries


def _hash_file(path: Path, meter: Optional[_Meter] = None) -> Tuple[str, int]:
    digest = hashlib.sha256()
    size = 0
    with open(path, "rb") as file:
        for piece in _pieces(file):
            digest.update(piece)
            size += len(piece)
            if meter is not None:
                meter.add(len(piece))
    return digest.hexdigest(), size


def _to_batches(files: Iterable[Mapping[str, Any]]) -> Iterator[List[Mapping[str, Any]]]:
    """Groups small files. Each large file has a request of its own."""
    batch: List[Mapping[str, Any]] = []
    size = 0
    for file in files:
        if file["bytes"] > _SMALL_BYTES:
            yield [file]
            continue
        if batch and (size + file["bytes"] > _BATCH_BYTES or len(batch) == _BATCH_FILES):
            yield batch
            batch, size = [], 0
        batch.append(file)
        size += file["bytes"]
    if batch:
        yield batch


class _Frames:
    """The contents of files, each behind its hash and its size, as the body of one request."""

    def __init__(self, directory: Path, files: Sequence[Mapping[str, Any]], meter: _Meter) -> None:
        self._directory = directory
        self._files = files
        self._meter = meter
        self.problem: Optional[Error] = None

    def __iter__(self) -> Iterator[bytes]:
        try:
            for file in self._files:
                yield bytes.fromhex(file["sha256"]) + int(file["bytes"]).to_bytes(8, "big")
                yield from self._content(self._directory / file["path"], file["bytes"], file["sha256"])
        except Error as error:
            # Explains more than the error of the connection that it breaks.
            self.problem = error
            raise

    def _content(self, path: Path, size: int, sha256: str) -> Iterator[bytes]:
        digest = hashlib.sha256()
        left = size
        try:
            with open(path, "rb") as file:
                for piece in _pieces(file):
                    left -= len(piece)
                    digest.update(piece)
                    if left < 0 or (left == 0 and digest.hexdigest() != sha256):
                        raise _changed(path)
                    yield piece
                    self._meter.add(len(piece))
        except OSError as error:
            if _is_network_error(error):
                raise
            raise _unreadable(path, error) from None
        if left > 0:
            raise _changed(path)


def _changed(path: Path) -> Error:
    return Error(f"{path} changed during the upload. Submit again.", status=409, code="conflict")


def _unreadable(path: StrPath, error: OSError) -> Error:
    return Error(f"Cannot read {os.fspath(path)}: {(error.strerror or str(error)).lower()}.")


def _name_entries(error: Error, entries: Sequence[Mapping[str, Any]]) -> Error:
    """An error that names the files which the server refused, instead of their numbers."""
    lines: List[str] = []
    for wrong in error.errors:
        found = re.fullmatch(r"entries\.(\d+)\..*", str(wrong.get("path")))
        if found and int(found.group(1)) < len(entries):
            entry = entries[int(found.group(1))]
            link = f" → {_one_line(str(entry['target']))}" if "target" in entry else ""
            lines.append(f"\n  {_one_line(str(entry['path']))}{link} {wrong.get('message')}")
    if not lines:
        return error
    message = f"Cannot upload these paths. Remove them, or list them in .gpuqignore:{''.join(lines)}"
    return Error(message, status=error.status, code=error.code, errors=error.errors)


# Output


def _parse_events(response: Iterable[bytes]) -> Iterator[Tuple[str, List[str], Optional[str]]]:
    """The server-sent events of a response. An event that the end cut off is dropped."""
    event, data, event_id = "message", cast(List[str], []), cast(Optional[str], None)
    for raw in response:
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        if line == "" and raw.endswith(b"\n"):
            if data:
                yield event, data, event_id
            event, data, event_id = "message", [], None
            continue
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "event":
            event = value
        elif name == "data":
            data.append(value)
        elif name == "id":
            event_id = value


class _Lines:
    """Joins the records of a job's output to lines."""

    def __init__(self, stderr: bool, rank: Optional[int]) -> None:
        self._stderr = stderr
        self._rank = rank
        self._open: Dict[Tuple[str, Optional[int]], str] = {}

    def add(self, record: str) -> Iterator[str]:
        parsed: Dict[str, Any] = json.loads(record)
        kind, rank = parsed.get("type"), parsed.get("rank")
        if kind not in ("stdout", "stderr", "result") or (kind == "stderr" and not self._stderr):
            return
        if self._rank is not None and (rank or 0) != self._rank:
            return
        # The line of a result exactly as the job wrote it: no value before `data` has the name of that key.
        text = str(parsed["text"]) if "text" in parsed else record[record.index('"data":') + 7 : -1]
        key = ("stderr" if kind == "stderr" else "stdout", rank)
        text = self._open.pop(key, "") + text
        if parsed.get("eol") is False:
            self._open[key] = text
        else:
            yield self._label(rank, text)

    def flush(self) -> Iterator[str]:
        """The last lines of the streams, if they have no end."""
        for (_, rank), text in self._open.items():
            yield self._label(rank, text)
        self._open = {}

    def _label(self, rank: Optional[int], text: str) -> str:
        return text if rank is None or self._rank is not None else f"[rank {rank}] {text}"


def _parse_result(record: Union[str, bytes]) -> Any:
    parsed = json.loads(record)
    # The line as it was printed, if it is not exactly JSON. This module reads NaN, as Python writes it.
    return json.loads(parsed["text"]) if "text" in parsed else parsed["data"]


def _read_results(response: Iterable[bytes]) -> List[Any]:
    """The results in a result file. Its last record says how the job ended."""
    results: List[Any] = []
    last = b""
    for last in response:
        if last.startswith(b'{"type":"result",'):
            results.append(_parse_result(last))
    if not last.startswith(b'{"type":"exit",'):
        raise Error("The result file is incomplete.", code="unreachable")
    return results


def _safe_paths(paths: Sequence[str], windows: bool = os.name == "nt") -> List[str]:
    """Paths that a job chose, made safe for this disk: unique, and below the directory. Every other name stays."""
    files: Set[str] = set()
    directories: Set[str] = set()

    def take(name: str) -> bool:
        above = ["/".join(name.split("/")[:depth]) for depth in range(1, name.count("/") + 1)]
        if name in files or name in directories or any(place in files for place in above):
            return False
        files.add(name)
        directories.update(above)
        return True

    def choose(path: str) -> str:
        first, *rest = path.split("/")
        count = 1
        while True:
            mark = "" if count == 1 else f"-{count}"
            # If a file has the name of a directory, the mark goes behind the directory.
            for name in (path + mark, "/".join([first + mark, *rest])):
                if take(name):
                    return name
            count += 1

    safe = ["/".join(_safe_name(name, windows) for name in path.split("/")) for path in paths]
    # A changed name must not take the place of a real one.
    real = {at: choose(name) for at, name in enumerate(safe) if name == paths[at]}
    return [real[at] if at in real else choose(name) for at, name in enumerate(safe)]


def _safe_name(name: str, windows: bool) -> str:
    shown = re.sub("[\\\\\ufffd]", "_", _one_line(name, "_"))
    encoded = shown.encode("utf-8", "replace")
    if len(encoded) > 255:
        # The end of a name that is too long for a disk, with room for a mark.
        shown = encoded[-240:].decode("utf-8", "ignore")
    if shown in ("", ".", ".."):
        return "_"
    if not windows:
        return shown
    # Windows cuts dots and spaces at the end.
    held = re.sub("[. ]+$", lambda end: "_" * len(end.group()), re.sub('[:*?"<>|]', "_", shown))
    return f"_{held}" if _DEVICE.fullmatch(held) else held


def _identify(path: Path) -> Tuple[int, int]:
    found = os.lstat(path)
    return (found.st_dev, found.st_ino)


def _choose_separate(root: Path, path: str, files: Set[Tuple[int, int]]) -> str:
    """The path, with a mark if it would replace one of these files. Some disks take two names for the same, such as two
    cases or two forms of a letter, and only the disk knows."""
    count = 1
    while True:
        name = path if count == 1 else f"{path}-{count}"
        target = _enter_parent(root, name)
        if not os.path.lexists(target) or _identify(target) not in files:
            return name
        count += 1


class _Received:
    """The files of one download, below a directory. One that cannot be written here does not stop the others."""

    def __init__(self, root: Path) -> None:
        self.saved: List[Path] = []
        self._root = root
        self._files: Set[Tuple[int, int]] = set()
        self._refused: List[str] = []

    def save(self, written: str, name: str, write: Callable[[Path], None]) -> None:
        """Save a file under a name from `_safe_paths`, where a job wrote another name."""
        if _is_kept_back(name):
            _log.warning("%s is not saved: it would change your rules or your repository.", visible(name))
            return
        try:
            name = _choose_separate(self._root, name, self._files)
            target = _enter_parent(self._root, name)
            write(target)
            self._files.add(_identify(target))
        except _FileError as error:
            self._refused.append(f"\n  {name}: {error}")
        except OSError as error:
            if error.errno not in _LOCAL_FAULTS:
                raise
            self._refused.append(f"\n  {name}: {error.strerror}.")
        else:
            self.saved.append(target)
            if name != written:
                shown = _one_line(written)
                _log.warning("%s is saved as %s, because this system cannot hold its name here.", shown, name)

    def require_all(self, elsewhere: str) -> None:
        """Raise Error if a file could not be written."""
        if self._refused:
            message = f"These files are not saved. Download them from {elsewhere}:{''.join(self._refused)}"
            raise Error(message, status=409, code="conflict")


@contextlib.contextmanager
def _new_file(target: Path) -> Iterator[Path]:
    """A new name, which replaces no file of the user. At the end it becomes the target, and replaces a link of this name
    instead of following it."""
    temporary = target.with_name(f".gpuq-{uuid.uuid4().hex}.part")
    try:
        yield temporary
        os.replace(temporary, target)
    finally:
        if temporary.exists():
            temporary.unlink()


def _pieces(source: IO[bytes]) -> Iterator[bytes]:
    return iter(lambda: source.read(_PIECE_BYTES), b"")


def _extract(response: http.client.HTTPResponse, root: Path) -> _Received:
    """Save the files of a tar archive below a directory, while it arrives."""
    received = _Received(root)
    try:
        with tarfile.open(fileobj=response, mode="r|") as archive:
            for entry in archive:
                content = archive.extractfile(entry) if entry.isfile() else None
                if content is not None:
                    received.save(entry.name, _safe_paths([entry.name])[0], functools.partial(_write, content))
    except tarfile.TarError:
        raise Error("The download of the group is incomplete.", code="unreachable") from None
    return received


def _write(content: IO[bytes], target: Path) -> None:
    with _new_file(target) as temporary, open(temporary, "wb") as file:
        for piece in _pieces(content):
            file.write(piece)


def _require_id(given: Any) -> str:
    """An id of the server, which becomes a part of addresses. Whoever answers as the server chooses it."""
    if isinstance(given, str) and re.fullmatch(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", given):
        return given
    raise Error("The server sent an id that is not a UUID. Check the address of the server.", code="unexpected")


_RULE_FILES = (".gitignore", ".gpuqignore")
_SHORT_NAMES = re.compile(r"git~1|(gitign|gpuqig)~[0-9]+")
_IGNORABLE = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]")


def _is_kept_back(path: str) -> bool:
    """Whether a file would change the rules of what is sent, or a repository of git: its hooks run on this machine."""

    def plain(name: str) -> str:
        # Some file systems ignore case, invisible characters, forms of Unicode, and dots and spaces at the end.
        seen = (letter for letter in unicodedata.normalize("NFKC", name) if unicodedata.category(letter) != "Cf")
        return _IGNORABLE.sub("", "".join(seen)).rstrip(". ").upper().lower()

    names = [plain(name) for name in path.split("/")]
    return any(name in (".git", *_RULE_FILES) or _SHORT_NAMES.fullmatch(name) for name in names)


_DEVICE = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9\u00b9\u00b2\u00b3])\s*(\..*)?", re.IGNORECASE)


def _enter_parent(root: Path, path: str, windows: bool = os.name == "nt") -> Path:
    """Create the directories of a path below a directory, one at a time, without following a link. `path` is from
    `_safe_paths`."""
    *above, last = path.split("/")
    if windows and any(name != _safe_name(name, True) for name in (*above, last)):
        raise _FileError("It cannot be saved on Windows.")
    root.mkdir(parents=True, exist_ok=True)
    place = root
    for name in above:
        place = place / name
        try:
            place.mkdir()
        except FileExistsError:
            if place.is_symlink() or not place.is_dir():
                message = f"{place} is a link or no directory. Remove or rename it, or choose an empty directory."
                raise _FileError(message, status=409, code="conflict") from None
    return place / last


def _one_line(text: str, mark: str = "?") -> str:
    """A text without characters that are invisible or change its direction."""
    hidden = ("Cc", "Cf", "Zl", "Zp", "Cs", "Co", "Cn")
    return "".join(mark if unicodedata.category(letter) in hidden else letter for letter in text)


# Progress


class _Progress:
    """A line of text that changes: in a notebook, or on a terminal. Elsewhere it shows nothing."""

    def __init__(self, wanted: Optional[bool]) -> None:
        self._display: Optional[Callable[..., Any]] = None
        self._handle: Any = None
        self._terminal = False
        self._shown = ""
        if wanted is False:
            return
        self._display = _notebook_display()
        self._terminal = self._display is None and (wanted is True or _is_terminal())

    def __enter__(self) -> _Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._terminal and self._shown:
            sys.stderr.write("\n")
            sys.stderr.flush()

    def show(self, given: str) -> None:
        text = _one_line(given)
        if text == self._shown:
            return
        if self._display is not None:
            data = {"text/plain": text}
            if self._handle is None:
                self._handle = self._display(data, raw=True, display_id=True)
            else:
                self._handle.update(data, raw=True)
        elif self._terminal:
            width = shutil.get_terminal_size().columns - 1
            sys.stderr.write(f"\r{text[:width]}\x1b[K")
            sys.stderr.flush()
        self._shown = text


class _Meter:
    """Shows how many bytes of a transfer are done."""

    def __init__(self, progress: _Progress, doing: str, total: int) -> None:
        self._progress = progress
        self._doing = doing
        self._total = total
        self._done = 0
        self._shown_at = 0.0

    def add(self, count: int) -> None:
        self._done += count
        now = time.monotonic()
        if now - self._shown_at < 0.2 and self._done < self._total:
            return
        self._shown_at = now
        self._progress.show(f"{self._doing} {_format_bytes(self._done)} of {_format_bytes(self._total)}")


def _notebook_display() -> Optional[Callable[..., Any]]:
    """IPython's `display`, if this is a notebook."""
    if "IPython" not in sys.modules:
        return None
    try:
        shell: Any = importlib.import_module("IPython").get_ipython()
        if type(shell).__name__ != "ZMQInteractiveShell":
            return None
        return cast(Callable[..., Any], importlib.import_module("IPython.display").display)
    except (ImportError, AttributeError):
        return None


def _is_terminal() -> bool:
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):
        return False


def _format_bytes(count: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024:
            return f"{count:.0f} {unit}" if unit == "B" or count >= 100 else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} TiB"


def _seconds_between(start: Optional[str], end: Optional[str]) -> Optional[float]:
    """The seconds between two times of the API. None if one is missing."""
    if start is None or end is None:
        return None
    begun, ended = (datetime.datetime.fromisoformat(text.replace("Z", "+00:00")) for text in (start, end))
    return (ended - begun).total_seconds()


def _format_seconds(seconds: float) -> str:
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes = whole // 60
    return f"{minutes} min {whole % 60} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
