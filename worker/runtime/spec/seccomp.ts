import { allowedSyscalls } from './allowed-syscalls'

/**
 * gpuq's own seccomp profile in the engine's JSON format. The default profiles of common engines still allow
 * io_uring, AF_ALG and AF_VSOCK, tracing, and the 32-bit entry point, whose `socketcall` bypasses every rule about
 * sockets. This profile refuses everything that is not listed.
 */
interface SeccompProfile {
  defaultAction: 'SCMP_ACT_ERRNO'
  archMap: { architecture: string; subArchitectures: string[] }[]
  syscalls: SyscallRule[]
}

interface SyscallRule {
  names: string[]
  action: 'SCMP_ACT_ALLOW' | 'SCMP_ACT_ERRNO'
  errnoRet?: number
  args?: ArgumentRule[]
}

interface ArgumentRule {
  index: number
  op: 'SCMP_CMP_EQ' | 'SCMP_CMP_GT' | 'SCMP_CMP_MASKED_EQ'
  value: number
  valueTwo?: number
}

const ENOSYS = 38
const EPROTONOSUPPORT = 93
const EAFNOSUPPORT = 97
const AF_UNIX = 1
const AF_INET = 2
const AF_INET6 = 10
const AF_NETLINK = 16
const SOCK_STREAM = 1
const SOCK_DGRAM = 2
const SOCK_TYPE_MASK = 0xf
const IPPROTO_TCP = 6
const IPPROTO_UDP = 17
const NETLINK_ROUTE = 0

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET combined. */
const namespaceFlags = 0x7e020000

const equals = (index: number, value: number): ArgumentRule => ({ index, op: 'SCMP_CMP_EQ', value })
const greater = (index: number, value: number): ArgumentRule => ({ index, op: 'SCMP_CMP_GT', value })
const masked = (index: number, mask: number, value: number): ArgumentRule => ({
  index,
  op: 'SCMP_CMP_MASKED_EQ',
  value: mask,
  valueTwo: value,
})
const allow = (name: string, ...args: ArgumentRule[]): SyscallRule => ({
  names: [name],
  action: 'SCMP_ACT_ALLOW',
  args,
})
const refuse = (name: string, errnoRet: number, ...args: ArgumentRule[]): SyscallRule => ({
  names: [name],
  action: 'SCMP_ACT_ERRNO',
  errnoRet,
  args,
})

/**
 * The allowed sockets: local ones, TCP, UDP, and NETLINK_ROUTE, with which a task without CAP_NET_ADMIN can only read. Checking the protocol too keeps a job from making the kernel load
 * SCTP, DCCP or MPTCP. Other families return the error of a kernel without them, which libraries handle; a raw
 * socket returns EPERM, as for any user who is not root.
 */
function socketRules(): SyscallRule[] {
  const internet = [AF_INET, AF_INET6].flatMap((family) =>
    [
      [SOCK_STREAM, 0],
      [SOCK_STREAM, IPPROTO_TCP],
      [SOCK_DGRAM, 0],
      [SOCK_DGRAM, IPPROTO_UDP],
    ].map(([type = 0, protocol = 0]) =>
      allow('socket', equals(0, family), masked(1, SOCK_TYPE_MASK, type), equals(2, protocol)),
    ),
  )
  const between = Array.from({ length: AF_INET6 - AF_INET - 1 }, (_, step) => AF_INET + 1 + step)
  const beyond = Array.from({ length: AF_NETLINK - AF_INET6 - 1 }, (_, step) => AF_INET6 + 1 + step)
  return [
    allow('socket', equals(0, AF_UNIX)),
    allow('socketpair', equals(0, AF_UNIX)),
    ...internet,
    // getifaddrs lists the interfaces of the own namespace with it. gloo, NCCL, psutil and Dask do not start without.
    allow('socket', equals(0, AF_NETLINK), equals(2, NETLINK_ROUTE)),
    refuse('socket', EPROTONOSUPPORT, equals(0, AF_NETLINK), greater(2, NETLINK_ROUTE)),
    ...[...between, ...beyond].map((family) => refuse('socket', EAFNOSUPPORT, equals(0, family))),
    refuse('socket', EAFNOSUPPORT, greater(0, AF_NETLINK)),
  ]
}

/** Builds the profile, which is the same for every task. */
export function buildSeccompProfile(): SeccompProfile {
  return {
    defaultAction: 'SCMP_ACT_ERRNO',
    archMap: [
      { architecture: 'SCMP_ARCH_X86_64', subArchitectures: [] },
      { architecture: 'SCMP_ARCH_AARCH64', subArchitectures: [] },
    ],
    syscalls: [
      { names: allowedSyscalls, action: 'SCMP_ACT_ALLOW' },
      allow('clone', masked(0, namespaceFlags, 0)),
      // Its flags are behind a pointer that no filter can read; glibc falls back to clone.
      { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: ENOSYS },
      allow('personality', equals(0, 0)),
      allow('personality', equals(0, 0xffffffff)),
      ...socketRules(),
    ],
  }
}
