import { formatCount } from '@/components/ui/format-number'

/**
 * The label of the button that jumps to the end. For a live job, it counts the lines since the reader scrolled away. A
 * job that has ended has no new lines, even if the page still loads them.
 */
export function jumpLabel(live: boolean, newLines: number): string {
  if (!live || newLines <= 0) return 'Jump to end'
  return formatCount(newLines, 'new line')
}
