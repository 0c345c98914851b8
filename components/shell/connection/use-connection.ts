import { useSyncExternalStore } from 'react'
import { type Connection, currentConnection, onConnectionChange } from './connection'

/** Whether this page can reach gpuq. */
export function useConnection(): Connection {
  return useSyncExternalStore(onConnectionChange, currentConnection, () => 'ok')
}
