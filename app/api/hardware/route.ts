import { readHardware } from '@/lib/cluster/overview/hardware'
import { clusterOperations } from '@/lib/contract/operations/cluster'
import { route } from '@/lib/http/route'

export const GET = route(clusterOperations.hardware, () => readHardware())
