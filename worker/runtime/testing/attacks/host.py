"""Reaches for the host from inside: prints what each attempt came to, and everything that could be written."""
import errno
import json
import os
import resource
import stat
import subprocess
import time

attempts = {}


def attempt(name, action):
    try:
        action()
        attempts[name] = "done"
    except OSError as error:
        attempts[name] = errno.errorcode.get(error.errno, str(error))
    except ValueError:
        attempts[name] = "refused"


def opened(path, mode):
    return lambda: open(path, mode).close()


def written(path, text):
    with open(path, "w") as file:
        file.write(text)


for path in ("kernel/core_pattern", "kernel/hostname", "kernel/modprobe", "vm/overcommit_memory", "net/ipv4/ip_forward"):
    attempt(f"write /proc/sys/{path}", opened(f"/proc/sys/{path}", "r+"))
for path in ("/proc/sysrq-trigger", "/job/solution.py", "/etc/passwd", "/usr/bin/python3"):
    attempt(f"write {path}", opened(path, "r+"))
for path in ("/proc/kcore", "/dev/mem", "/dev/kmsg", "/dev/fuse", "/dev/kvm", "/dev/nvidia0", "/dev/nvidiactl"):
    attempt(f"read {path}", opened(path, "rb"))
attempt("lower oom_score_adj", lambda: written("/proc/self/oom_score_adj", "-1000"))
attempt("character device", lambda: os.mknod("/tmp/mem", stat.S_IFCHR | 0o600, os.makedev(1, 1)))
attempt("block device", lambda: os.mknod("/tmp/disk", stat.S_IFBLK | 0o600, os.makedev(254, 0)))
attempt("become root", lambda: os.setuid(0))
attempt("raise core limit", lambda: resource.setrlimit(resource.RLIMIT_CORE, (-1, -1)))
attempt("raise file limit", lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (1 << 20, 1 << 20)))
attempt("real-time priority", lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)))
attempt("message queue file", lambda: written("/dev/mqueue/x", ""))

cgroup_files = [os.path.join(folder, name) for folder, _, names in os.walk("/sys/fs/cgroup") for name in names]
cgroup_writable = []
for path in cgroup_files:
    try:
        os.close(os.open(path, os.O_WRONLY))
        cgroup_writable.append(path)
    except OSError:
        pass
attempt("new cgroup", lambda: os.mkdir("/sys/fs/cgroup/memory/x"))
attempt("new cgroup (v2)", lambda: os.mkdir("/sys/fs/cgroup/x"))

writable, sockets, devices, privileged = [], [], [], []
for folder, folders, names in os.walk("/"):
    if folder in ("/proc", "/sys"):
        folders.clear()
        continue
    if os.access(folder, os.W_OK):
        writable.append(folder)
    for name in names:
        path = os.path.join(folder, name)
        try:
            mode = os.lstat(path).st_mode
        except OSError:
            continue
        if stat.S_ISSOCK(mode):
            sockets.append(path)
        if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
            devices.append(path)
        if mode & stat.S_ISUID and stat.S_ISREG(mode):
            privileged.append(path)


def read_status(pid):
    with open(f"/proc/{pid}/status") as file:
        return {name: value.strip() for name, _, value in (line.partition(":") for line in file)}


def uid_in(program):
    """The effective uid a setuid program gets, read while it waits for a password."""
    process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(200):
            status = read_status(process.pid)
            if status["Name"] == os.path.basename(program):
                return int(status["Uid"].split()[1])
            time.sleep(0.005)
    finally:
        process.kill()
        process.wait()


own = read_status("self")
# Before `su`, which leaves a helper of its own behind for a moment when it is killed.
foreign_processes = [name for name in os.listdir("/proc") if name.isdigit() and int(name) not in (1, os.getpid())]
print(json.dumps({
    "attempts": attempts,
    "uid": os.getuid(),
    "capabilities": [own[name] for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")],
    "no_new_privileges": own["NoNewPrivs"],
    "cgroup_files": len(cgroup_files),
    "cgroup_writable": cgroup_writable,
    "writable": sorted(writable),
    "sockets": sockets,
    "devices": sorted(devices),
    "setuid_programs": len(privileged),
    "su_runs_as": uid_in("/bin/su") if os.path.exists("/bin/su") else os.getuid(),
    "descriptors": sorted(int(name) for name in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{name}")),
    "foreign_processes": foreign_processes,
    "interfaces": sorted(os.listdir("/sys/class/net")),
    "stdin": os.read(0, 10).decode(),
}))
