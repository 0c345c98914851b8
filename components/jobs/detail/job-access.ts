/** As whom somebody sees a job. A manager of its project reads and cancels it. Its owner and admins also change it. */
export type JobAccess = 'owner' | 'admin' | 'manager'
