import { formatDuration } from '../../ui/format-time'

/** A limit in words: "5 min" and not "5 min 00 s", for it was not measured. */
export function formatSeconds(seconds: number): string {
  return formatDuration(seconds * 1000).replace(/(?<= (min|h|d)) 0?0 \w+$|\.0(?= s$)/, '')
}
