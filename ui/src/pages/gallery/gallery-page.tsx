// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from "react";

export function GalleryPage(): ReactNode {
  return null;
}
