import { readOrchestrator } from '@/lib/cluster/admin/orchestrator'
import { route } from '@/lib/http/route'

export const GET = route('read', async () => Response.json(await readOrchestrator()))
