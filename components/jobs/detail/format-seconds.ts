import { formatDuration } from '../../ui/format-time'

/** A limit: "5 min" instead of "5 min 00 s". */
export function formatSeconds(seconds: number): string {
  return formatDuration(seconds * 1000).replace(/(?<= (min|h|d)) 0?0 \w+$|\.0(?= s$)/, '')
}
