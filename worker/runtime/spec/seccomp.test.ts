import { describe, expect, it } from 'vitest'
import { allowedSyscalls } from './allowed-syscalls'
import { buildSeccompProfile } from './seccomp'

const profile = buildSeccompProfile()
const allowedOutright = new Set(
  profile.syscalls.flatMap(({ names, action, args }) => (action === 'SCMP_ACT_ALLOW' && !args ? names : [])),
)

describe('the seccomp profile', () => {
  it('refuses unlisted system calls', () => {
    expect(profile.defaultAction).toBe('SCMP_ACT_ERRNO')
    const dangerous = `acct add_key bpf chroot clone clone3 create_module delete_module fanotify_init finit_module
      fsconfig fsmount fsopen fspick init_module io_uring_enter io_uring_register io_uring_setup ioperm iopl kcmp
      kexec_file_load kexec_load keyctl lookup_dcookie mount mount_setattr move_mount mq_open name_to_handle_at
      open_by_handle_at open_tree perf_event_open personality pidfd_getfd pivot_root process_madvise process_vm_readv
      process_vm_writev ptrace quotactl reboot request_key sethostname setns settimeofday socket socketpair swapoff
      swapon sync syslog umount umount2 unshare userfaultfd vhangup modify_ldt`
    expect(dangerous.split(/\s+/).filter((name) => allowedOutright.has(name))).toEqual([])
  })

  it('allows what the CUDA library calls at its start', () => {
    // Traced on an NVIDIA H200 with driver 580.159.04. clone3 has a fallback, and it goes on without get_mempolicy.
    const traced = `access arch_prctl bind brk clock_gettime close connect dup epoll_create1 eventfd2 execve exit_group
      fcntl fstat futex getdents64 geteuid getpid getrandom gettid ioctl listen lseek mkdir mmap mprotect munmap
      newfstatat openat pipe2 poll pread64 prlimit64 read readlink rseq rt_sigaction rt_sigprocmask
      sched_get_priority_max sched_get_priority_min sched_getaffinity set_robust_list set_tid_address setsockopt stat
      symlink sysinfo uname unlink write`
    expect(traced.split(/\s+/).filter((name) => !allowedOutright.has(name))).toEqual([])
  })

  it('names each call once, so that no unconditional rule overrides a conditional one', () => {
    expect(new Set(allowedSyscalls).size).toBe(allowedSyscalls.length)
    const conditional = profile.syscalls.flatMap(({ names, args }) => (args ? names : []))
    expect(conditional.filter((name) => allowedOutright.has(name))).toEqual([])
  })

  it('has exactly one rule for every socket family', () => {
    const rules = profile.syscalls.filter(({ names }) => names.includes('socket'))
    const decisions = (family: number) =>
      rules.filter(({ args = [] }) => {
        const [first] = args
        if (first?.index !== 0) return false
        return first.op === 'SCMP_CMP_GT' ? family > first.value : family === first.value
      })
    for (let family = 0; family < 50; family++) {
      const actions = new Set(decisions(family).map(({ action }) => action))
      const refused = family === 0 ? [] : ['SCMP_ACT_ERRNO']
      const expected = [1, 2, 10].includes(family) ? ['SCMP_ACT_ALLOW'] : refused
      expect([...actions]).toEqual(family === 16 ? ['SCMP_ACT_ALLOW', 'SCMP_ACT_ERRNO'] : expected)
    }
  })

  it('allows netlink only for listing interfaces', () => {
    const netlink = profile.syscalls.flatMap(({ names, action, args = [] }) => {
      const [family, protocol] = args
      return names.includes('socket') && family?.value === 16 && protocol ? [[action, protocol]] : []
    })
    expect(netlink).toEqual([
      ['SCMP_ACT_ALLOW', { index: 2, op: 'SCMP_CMP_EQ', value: 0 }],
      ['SCMP_ACT_ERRNO', { index: 2, op: 'SCMP_CMP_GT', value: 0 }],
    ])
  })

  it('has no second entry point, such as 32-bit calls', () => {
    expect(profile.archMap.flatMap(({ subArchitectures }) => subArchitectures)).toEqual([])
  })
})
