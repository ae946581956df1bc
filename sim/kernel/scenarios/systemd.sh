# root: systemd
# The units as they are installed, with systemd as process 1: all ports, hot plug, no capability.
unit_of() { echo "heddle@$(port_guid "$1").service"; }
main_pid() { systemctl show -p MainPID --value "$(unit_of "$1")"; }
status_of() { grep -E "^(CapInh|CapPrm|CapEff|CapBnd|CapAmb|NoNewPrivs|Seccomp):" "/proc/$(main_pid "$1")/status"; }
has_no_capability() {
  status_of "$1"
  [ "$(status_of "$1" | grep -c '^Cap.*0000000000000000$')" -eq 5 ] &&
    status_of "$1" | grep -q 'NoNewPrivs:.1' && status_of "$1" | grep -q 'Seccomp:.2'
}
log_of() { echo "/var/log/opensm.$(port_guid "$1").log"; }
other_pid() { [ "$(main_pid "$1")" -gt 0 ] && [ "$(main_pid "$1")" != "$2" ]; }
is_owned() {
  stat -c '%F %U %a' "$1"
  [ "$(stat -c '%F %U %a' "$1")" = "character special file root 600" ]
}
nothing_failed() {
  systemctl --failed --no-legend
  [ -z "$(systemctl --failed --no-legend)" ]
}
read_again() { tail -n +$((lines_before + 1)) "$(log_of "$1")" | grep SIGHUP; }
wants() { udevadm info "$1" | grep "SYSTEMD_WANTS=$2"; }

echo 'PORTS=ALL' > /etc/default/heddle
fabric /lab/fabric.net H0,H9
check "udev has settled" udevadm settle -t 20
check "umad0 is root's alone" is_owned /dev/infiniband/umad0
check "issm1, too" is_owned /dev/infiniband/issm1
check "udev wants the hot plug unit for umad0" wants /dev/infiniband/umad0 heddle-hotplug.service
check "with PORTS=ALL it has started nothing" not systemctl is-active "$(unit_of heddle0)"
check "heddle.service starts" systemctl start heddle.service
check "the unit of the first port runs" within 20 systemctl is-active "$(unit_of heddle0)"
check "that of the second port runs" within 20 systemctl is-active "$(unit_of heddle1)"
check "the ports become Active" within 30 is_active heddle1
check "one of both managers says SUBNET UP" within 20 grep -q "SUBNET UP" "$(log_of heddle0)" "$(log_of heddle1)"
check "the first port has IsSM" within 10 is_sm heddle0
check "so has the second" within 10 is_sm heddle1
check "they have no capability, no new privileges, and filtered system calls" has_no_capability heddle0
check "heddlectl reaches them" within 10 heddlectl ports
before=$(main_pid heddle0)
lines_before=$(wc -l < "$(log_of heddle0)")
check "systemctl reload" systemctl reload heddle.service
check "the manager has read its configuration again" within 10 read_again heddle0
check "it is the same process" [ "$(main_pid heddle0)" = "$before" ]
kill -9 "$before"
check "a manager that was killed is started again" within 20 other_pid heddle0 "$before"
check "heddle.service stops" systemctl stop heddle.service
check "with the managers of all ports" not systemctl is-active "$(unit_of heddle0)" "$(unit_of heddle1)"
check "IsSM is cleared" not is_sm heddle0

echo 'PORTS=HOTPLUG' > /etc/default/heddle
unit=$(unit_of heddle1)
sim hca pull H9
check "H9 is gone" within 40 not [ -e /sys/class/infiniband/heddle1 ]
sim hca plug H9
check "an HCA that is plugged in gets a manager" within 30 systemctl is-active "$unit"
check "and so has the other port" within 10 systemctl is-active "$(unit_of heddle0)"
check "its port becomes Active" within 30 is_active heddle1
systemctl stop heddle-hotplug.service 'heddle@*.service'
check "no unit has failed" nothing_failed
