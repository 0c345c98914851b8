import { useEffect, useState } from 'react'

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
 * rendering if it was loaded before. An error of loading goes to the error boundary.
 */
export function useOnDemand<Module>(source: OnDemand<Module>, needed: boolean): Module | null {
  const [, setLoaded] = useState(false)
  const [failure, setFailure] = useState<{ error: unknown } | null>(null)
  const current = source.current()
  const missing = needed && current === null
  useEffect(() => {
    if (!missing) return
    source.load().then(
      () => setLoaded(true),
      (error: unknown) => setFailure({ error }),
    )
  }, [missing, source])
  if (failure) throw failure.error
  return needed ? current : null
}
