import type { Lease } from '../nodes/nodes'
import { readTaskOrders } from '../tasks/task-orders'

/** The live tasks of a node that must stop, and the reason. */
export async function tasksToStop(lease: Lease) {
  const orders = await readTaskOrders(lease)
  return orders.flatMap(({ id, reason }) => (reason === null ? [] : [{ id, reason }]))
}
