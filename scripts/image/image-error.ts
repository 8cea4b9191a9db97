// SPDX-License-Identifier: Apache-2.0

/** A failure that its sentence explains; shown without a stack. */
export class ImageError extends Error {}
