import { adminNavigation, mainNavigation, type NavigationItem } from '../navigation'
import type { Shortcut } from './shortcut-keys'

/*
 * Every shortcut of the site. The pages bind their keys from these tables, and the help lists them, so no shortcut is
 * missing there.
 */

export interface SiteShortcut extends Shortcut {
  /** The page to open. Without it, the help opens. */
  href?: string
}

const newJob: SiteShortcut = { keys: ['n'], label: 'New job', href: '/submit' }
const help: SiteShortcut = { keys: ['?'], label: 'Keyboard shortcuts' }

/** Works in text fields too, and stays on if a user turns the single keys off. */
export const paletteShortcut = { keys: ['Control+k'], label: 'Command palette' } as const satisfies Shortcut

function toShortcuts(items: readonly NavigationItem[]): SiteShortcut[] {
  return items.flatMap(({ keys, label, href }) => (keys ? [{ keys, label, href }] : []))
}

const ownShortcuts = [newJob, ...toShortcuts(mainNavigation), help]
const adminShortcuts = [newJob, ...toShortcuts(mainNavigation), ...toShortcuts(adminNavigation), help]

/** The shortcuts of every page. */
export function siteShortcuts(admin: boolean): readonly SiteShortcut[] {
  return admin ? adminShortcuts : ownShortcuts
}

/** Everywhere on a list of jobs. */
export const listShortcuts = {
  next: { keys: ['j'], label: 'Next job' },
  previous: { keys: ['k'], label: 'Previous job' },
  select: { keys: ['x'], label: 'Select the job' },
  search: { keys: ['/'], label: 'Search jobs' },
} as const satisfies Record<string, Shortcut>

const openJob = { keys: ['Enter'], label: 'Open the job' } as const satisfies Shortcut

/** While the output of a job has the focus. */
export const outputShortcuts = {
  search: { keys: ['/'], label: 'Search' },
  next: { keys: ['n'], label: 'Next match' },
  previous: { keys: ['N'], label: 'Previous match' },
  wrap: { keys: ['w'], label: 'Wrap long lines' },
  times: { keys: ['t'], label: 'Show times' },
  follow: { keys: ['f'], label: 'Follow output' },
  start: { keys: ['Home'], label: 'First line' },
  end: { keys: ['End'], label: 'Last line, and follow' },
  clear: { keys: ['Escape'], label: 'Clear the selection' },
  selectAll: { keys: ['Control+a'], label: 'Select all lines' },
} as const satisfies Record<string, Shortcut>

/** While the search box of the output has the focus. */
export const searchShortcuts = {
  next: { keys: ['Enter'], label: 'Next match, or the line of :12' },
  previous: { keys: ['Shift+Enter'], label: 'Previous match' },
  leave: { keys: ['Escape'], label: 'Back to the output' },
} as const satisfies Record<string, Shortcut>

/** While the terminal of a job has the focus. All other keys go to the program. */
export const terminalShortcuts = {
  leave: { keys: ['Escape', 'Tab'], label: 'Leave the terminal' },
  copy: { keys: ['Control+C'], label: 'Copy the selection' },
  paste: { keys: ['Control+V'], label: 'Paste' },
} as const satisfies Record<string, Shortcut>

/** Everywhere on the submit page. */
export const submitShortcuts = {
  submit: { keys: ['Control+Enter'], label: 'Submit the job' },
} as const satisfies Record<string, Shortcut>

interface ShortcutGroup {
  title: string
  shortcuts: readonly Shortcut[]
}

/** All shortcuts by the place where they work. */
export function shortcutGroups(admin: boolean): readonly ShortcutGroup[] {
  return [
    { title: 'On every page', shortcuts: [paletteShortcut, ...siteShortcuts(admin)] },
    { title: 'In a list of jobs', shortcuts: [...Object.values(listShortcuts), openJob] },
    { title: 'In the output of a job', shortcuts: Object.values(outputShortcuts) },
    { title: 'In the search box of the output', shortcuts: Object.values(searchShortcuts) },
    { title: 'In the terminal of a job', shortcuts: Object.values(terminalShortcuts) },
    { title: 'On the page of a new job', shortcuts: Object.values(submitShortcuts) },
  ]
}
