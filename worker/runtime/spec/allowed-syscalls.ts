/**
 * The system calls that every job may make, grouped by purpose. The engine skips names that a kernel or architecture
 * does not have, so one list serves x86-64 and arm64. Deliberately missing are: mounting and namespaces, tracing
 * other processes, kernel keys, bpf, perf, userfaultfd, io_uring, POSIX message queues (their quota is counted per
 * uid), `sync` (it flushes all disks of the host), and everything that needs a capability. `seccomp.ts` has separate
 * rules for `clone`, `clone3`, `socket`, `socketpair` and `personality`.
 */
const files = `access chdir chmod chown close close_range copy_file_range creat dup dup2 dup3 faccessat faccessat2
  fadvise64 fallocate fchdir fchmod fchmodat fchmodat2 fchown fchownat fcntl fdatasync fgetxattr flistxattr flock
  fremovexattr fsetxattr fstat fstatfs fsync ftruncate futimesat getcwd getdents getdents64 getxattr getxattrat
  inotify_add_watch inotify_init inotify_init1 inotify_rm_watch ioctl lchown lgetxattr link linkat listxattr
  listxattrat llistxattr lremovexattr lseek lsetxattr lstat mkdir mkdirat mknod mknodat newfstatat open openat
  openat2 pread64 preadv preadv2 pwrite64 pwritev pwritev2 read readahead readlink readlinkat readv removexattr
  removexattrat rename renameat renameat2 rmdir sendfile setxattr setxattrat splice stat statfs statx symlink
  symlinkat sync_file_range syncfs tee truncate umask unlink unlinkat utime utimensat utimes vmsplice write writev`

const asynchronousFiles = 'io_cancel io_destroy io_getevents io_pgetevents io_setup io_submit'

const memory = `brk cachestat madvise map_shadow_stack membarrier memfd_create mincore mlock mlock2 mlockall mmap
  mprotect mremap mseal msync munlock munlockall munmap pkey_alloc pkey_free pkey_mprotect remap_file_pages`

const processes = `arch_prctl execve execveat exit exit_group fork getegid geteuid getgid getgroups getpgid getpgrp
  getpid getppid getpriority getresgid getresuid getrlimit getrusage getsid gettid getuid ioprio_get ioprio_set kill
  landlock_add_rule landlock_create_ruleset landlock_restrict_self pidfd_open pidfd_send_signal prctl prlimit64 rseq
  sched_get_priority_max sched_get_priority_min sched_getaffinity sched_getattr sched_getparam sched_getscheduler
  sched_rr_get_interval sched_setaffinity sched_setattr sched_setparam sched_setscheduler sched_yield seccomp
  setpgid setpriority setrlimit setsid times vfork wait4 waitid getcpu`

/** Changing identity is harmless without capabilities and with no-new-privileges, and programs do it. */
const identity = `capget capset setfsgid setfsuid setgid setgroups setregid setresgid setresuid setreuid setuid`

const threadsAndSignals = `alarm futex futex_requeue futex_wait futex_waitv futex_wake get_robust_list
  get_thread_area pause restart_syscall rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn
  rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo set_robust_list set_thread_area set_tid_address sigaltstack
  signalfd signalfd4 tgkill tkill`

const timeAndRandomness = `clock_getres clock_gettime clock_nanosleep getitimer getrandom gettimeofday nanosleep
  setitimer sysinfo time timer_create timer_delete timer_getoverrun timer_gettime timer_settime timerfd_create
  timerfd_gettime timerfd_settime uname`

const waiting = `epoll_create epoll_create1 epoll_ctl epoll_ctl_old epoll_pwait epoll_pwait2 epoll_wait
  epoll_wait_old eventfd eventfd2 pipe pipe2 poll ppoll pselect6 select`

/** On existing sockets; the rules for `socket` decide which ones can be created. */
const sockets = `accept accept4 bind connect getpeername getsockname getsockopt listen recvfrom recvmmsg recvmsg
  sendmmsg sendmsg sendto setsockopt shutdown`

/** System V objects live in the container's own IPC namespace and end with it. */
const sharedObjects = `msgctl msgget msgrcv msgsnd semctl semget semop semtimedop shmat shmctl shmdt shmget`

export const allowedSyscalls: string[] = [
  files,
  asynchronousFiles,
  memory,
  processes,
  identity,
  threadsAndSignals,
  timeAndRandomness,
  waiting,
  sockets,
  sharedObjects,
].flatMap((group) => group.split(/\s+/))
