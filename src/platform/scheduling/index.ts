/** Who is served next. */
export { FairShareLimiter } from './fair-share-limiter';
export { FairShareSemaphore } from './fair-share-semaphore';
export { RoundRobinQueue, type Queue } from './round-robin-queue';
export { Semaphore } from './semaphore';
export { TimeSlices } from './time-slices';
