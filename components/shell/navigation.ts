import {
  Activity,
  Archive,
  BookOpen,
  Box,
  ChartColumn,
  FolderClosed,
  GitFork,
  HeartPulse,
  KeyRound,
  Layers,
  ListTree,
  type LucideIcon,
  Megaphone,
  ScrollText,
  Server,
  Settings,
  SlidersHorizontal,
  Trophy,
  Users,
} from 'lucide-react'

export interface NavigationItem {
  href: string
  label: string
  icon: LucideIcon
  /** Keys to press one after the other. */
  keys?: readonly string[]
}

export const mainNavigation = [
  { href: '/jobs', label: 'Jobs', icon: Activity, keys: ['g', 'j'] },
  { href: '/groups', label: 'Groups', icon: Layers, keys: ['g', 'w'] },
  { href: '/experiments', label: 'Experiments', icon: GitFork, keys: ['g', 'x'] },
  { href: '/competitions', label: 'Competitions', icon: Trophy, keys: ['g', 'm'] },
  { href: '/cluster', label: 'Cluster', icon: Server, keys: ['g', 'c'] },
  { href: '/projects', label: 'Projects', icon: FolderClosed, keys: ['g', 'p'] },
  { href: '/accounting', label: 'Accounting', icon: ChartColumn, keys: ['g', 'r'] },
  { href: '/tokens', label: 'Tokens', icon: KeyRound, keys: ['g', 't'] },
  { href: '/settings', label: 'Settings', icon: Settings, keys: ['g', 's'] },
  { href: '/docs', label: 'Docs', icon: BookOpen, keys: ['g', 'd'] },
] as const satisfies readonly NavigationItem[]

export const adminNavigation = [
  { href: '/admin/jobs', label: 'All jobs', icon: ListTree, keys: ['g', 'a'] },
  { href: '/admin/users', label: 'Users', icon: Users, keys: ['g', 'u'] },
  { href: '/admin/tokens', label: 'All tokens', icon: KeyRound },
  { href: '/admin/projects', label: 'All projects', icon: FolderClosed },
  { href: '/admin/environments', label: 'Environments', icon: Box, keys: ['g', 'e'] },
  { href: '/admin/buckets', label: 'Buckets', icon: Archive },
  { href: '/admin/health', label: 'Health', icon: HeartPulse, keys: ['g', 'h'] },
  { href: '/admin/policy', label: 'Policy and models', icon: SlidersHorizontal, keys: ['g', 'o'] },
  { href: '/admin/announcement', label: 'Announcement', icon: Megaphone },
  { href: '/admin/audit', label: 'Audit log', icon: ScrollText, keys: ['g', 'l'] },
] as const satisfies readonly NavigationItem[]

/** True on the page itself and on the pages below it. */
export function isActive(pathname: string, href: string): boolean {
  return pathname === href || pathname.startsWith(`${href}/`)
}
