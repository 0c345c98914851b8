import type { Nearest } from '../../describe-nearest'
import { readConfigText } from '../../editor/config-text'

/** The config with the keys of the nearest request that fits. */
export function withNearest(config: string, nearest: Nearest): string {
  return Object.entries(nearest).reduce(
    (text, [key, value]) => readConfigText(text)?.write(key, value ?? undefined) ?? text,
    config,
  )
}
