import { artifactOperations } from './artifacts'
import { jobOperations } from './jobs'

/** The operations of jobs and of their files. In a file of its own, so that a program can load them without all others. */
export const jobGroup = { ...jobOperations, ...artifactOperations }
