import { artifactOperations } from '../../artifacts/operations'
import { submitOperation } from '../../competitions/contract-submit'
import { metricOperations } from '../../metrics/operations'
import { terminalOperations } from '../../terminal/operations'
import { workingFileOperations } from '../../working-files/operations'
import { jobOperations } from './jobs'

/** The operations of jobs and of their files. In a file of its own, so that a program can load them without all others. */
export const jobGroup = {
  ...jobOperations,
  ...artifactOperations,
  ...workingFileOperations,
  ...metricOperations,
  ...terminalOperations,
  submit: submitOperation,
}
