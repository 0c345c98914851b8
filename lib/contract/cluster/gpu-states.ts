/**
 * `shared`: a part is allocated. `full`: all is allocated. `outside`: programs outside gpuq use it, or it does not
 * answer. `paused`: by an admin. `missing`: its node does not find it. `closed`: its node accepts no jobs.
 */
export const gpuStates = ['free', 'shared', 'full', 'outside', 'paused', 'missing', 'closed'] as const
