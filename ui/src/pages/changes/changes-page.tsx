// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from "react";

export function ChangesPage(): ReactNode {
  return null;
}
