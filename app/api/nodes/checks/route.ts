import { readNodeReports } from '@/lib/cluster/checks/read-reports'
import { clusterOperations } from '@/lib/contract/operations/cluster'
import { route } from '@/lib/http/route'

export const GET = route(clusterOperations.nodeReports, ({ actor }) => readNodeReports(actor))
