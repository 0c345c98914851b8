import { useEffect, useState } from 'react'
import { reportMissingPart } from './missing-part'

/** Code that is loaded when it is needed first. */
export interface OnDemand<Module> {
  load: () => Promise<Module>
  /** The code; null: it is not loaded. */
  current: () => Module | null
}

/** @param start imports the module */
export function onDemand<Module>(start: () => Promise<Module>): OnDemand<Module> {
  let loaded: Module | null = null
  const load = async () => {
    loaded ??= await start()
    return loaded
  }
  return { load, current: () => loaded }
}

/**
 * The code, once it is loaded; until then, or if it is not needed, null. Unlike `lazy` of React, it is there in the same
 * rendering if it was loaded before. If it cannot be loaded, the page says so and stays as it is.
 */
export function useOnDemand<Module>(source: OnDemand<Module>, needed: boolean): Module | null {
  const [, setLoaded] = useState(false)
  const current = source.current()
  const missing = needed && current === null
  useEffect(() => {
    if (!missing) return
    source.load().then(() => setLoaded(true), reportMissingPart)
  }, [missing, source])
  return needed ? current : null
}
