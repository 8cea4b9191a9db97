// SPDX-License-Identifier: Apache-2.0

/** The prefix of every protobuf body: `k8s` and a zero byte. */
export const protobufPrefix = Uint8Array.of(0x6b, 0x38, 0x73, 0);
