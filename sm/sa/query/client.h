#pragma once

#include "mad/ids.h"

namespace sa {

/// A client of subnet administration: an end port, or a vport at one. Registrations of a vport
/// count in its own bounds and in those of its physical port, so that a host gets no more by having
/// many.
struct Client {
  mad::Guid port;  // PortGUID of the physical port; Guid{}: unknown
  mad::Guid end;   // of the vport; the same as `port` for the physical port itself

  Client() = default;
  Client(mad::Guid physical) : port(physical), end(physical) {}
  Client(mad::Guid physical, mad::Guid of) : port(physical), end(of) {}
  bool is_vport() const { return port != end; }
  bool operator==(const Client&) const = default;
};

}  // namespace sa
