# shellcheck shell=bash
# heddle-vnic as an administrator uses it, on the simulated fabric with agents of Omni-Path hosts. machine.sh reads it, whose functions it uses.
vnic=heddle-vnic.service
vnic_shows() { systemctl show -p "$1" --value $vnic; }
vnic_is() { [ "$(vnic_shows "$1")" = "$2" ]; }
vnic_restarted() { [ "$(vnic_shows MainPID)" != "$1" ] && [ "$(vnic_shows MainPID)" != 0 ]; }
vnic_has() { heddle-vnic --metrics | grep -qxF "heddle_vnic_$1"; }
forwards_again() { # PID IN WHAT: another process than PID knows what is there, and writes nothing
  within 20 vnic_restarted "$1"
  within 20 vnic_has 'switch_forwarding{switch="all"} 2'
  vnic_has 'sets_total 0' || fail "heddle-vnic, $2: it writes"
  echo "   $2: VNICs as before, no Set"
}

step "heddle-vnic installed: nothing runs, nothing is enabled; unit verified"
quiet dpkg -i ./heddle-vnic_*.deb
[ "$(systemctl is-enabled $vnic)" = disabled ] || fail "enabled"
! pgrep -x heddle-vnic || fail "started"
for file in sbin/heddle-vnic share/man/man8/heddle-vnic.8.gz share/man/man5/heddle-vnic.yaml.5.gz share/doc/heddle-vnic/heddle-vnic.cdx.json; do
  [ "$(dpkg-query -S "/usr/$file")" = "heddle-vnic: /usr/$file" ] || fail "$file"
done
quiet systemd-analyze verify --man=no /lib/systemd/system/$vnic
[ ! -s install.log ] || { cat install.log; fail "systemd-analyze verify"; }
systemd-analyze security --no-pager --threshold=25 $vnic > install.log || { cat install.log; fail "exposure"; }
tail -n 1 install.log

step "not started without its configuration; refused with a wrong one; without a device it tries again"
systemctl start $vnic
{ vnic_is ConditionResult no && vnic_is ActiveState inactive; } || fail "started without /etc/heddle/vnic.yaml"
mkdir -p /etc/heddle
echo 'switches: [{id: 5000, members: [all]}]' > /etc/heddle/vnic.yaml
! systemctl start $vnic 2> /dev/null || fail "started with a wrong configuration"
{ vnic_is ExecMainStatus 2 && vnic_is ActiveState failed && vnic_is NRestarts 0; } || fail "a wrong configuration: $(vnic_shows ExecMainStatus), $(vnic_shows ActiveState)"
journalctl -q --no-pager -u $vnic | grep -o '/etc/heddle/vnic.yaml:1:17: error: .*' || fail "it does not say where the configuration is wrong"
echo 'switches: [{name: all, id: 1, members: [all]}]' > /etc/heddle/vnic.yaml
! systemctl start $vnic 2> /dev/null || fail "started without a device"
{ vnic_is ExecMainStatus 1 && vnic_is SubState auto-restart; } || fail "without a device: $(vnic_shows ExecMainStatus), $(vnic_shows SubState)"
systemctl stop $vnic

step "VNICs on two hosts of a simulated fabric; reloaded, killed, hung"
systemd-run -q --unit=fabric heddle-sim --omni-path --start --no-console -c "ethernet load H1" -c "ethernet load H2" "$PWD/fabric.net"
mkdir /etc/systemd/system/$vnic.d
printf '[Unit]\nStartLimitIntervalSec=0\n[Service]\nEnvironment=LD_PRELOAD=/usr/lib/heddle/libheddle-umad.so\nPrivateNetwork=no\nWatchdogSec=3\nRestartSec=0.1\n' \
  > /etc/systemd/system/$vnic.d/simulated.conf
systemctl daemon-reload
within 10 sees_its_port
echo PORTS=ALL > /etc/default/heddle
systemctl start heddle.service
within 20 is_up heddle
systemctl enable --now $vnic 2> /dev/null
within 20 vnic_has 'switch_forwarding{switch="all"} 2'
heddle-vnic --status > /dev/null || fail "heddle-vnic --status"
echo 'switches: [{name: all, id: 1, members: [all]}, {name: one, id: 2, members: [{description: H1}]}]' > /etc/heddle/vnic.yaml
systemctl reload $vnic
within 20 vnic_has 'switch_forwarding{switch="one"} 1'
for signal in KILL STOP; do
  pid=$(vnic_shows MainPID)
  kill -$signal "$pid"
  forwards_again "$pid" "SIG$signal"
done

step "upgraded and downgraded with VNICs; stopped, started"
rm -rf next
dpkg-deb -R ./heddle-vnic_*.deb next
sed -i "s/^Version: .*/Version: $(dpkg-deb -f ./heddle-vnic_*.deb Version)+next/" next/DEBIAN/control
dpkg-deb -b next next.deb > /dev/null
for package in ./next.deb ./heddle-vnic_*.deb; do
  pid=$(vnic_shows MainPID)
  quiet dpkg -i "$package"
  forwards_again "$pid" "$(dpkg-query -W -f '${Version}' heddle-vnic)"
done
systemctl stop $vnic
gone heddle-vnic || fail "it runs on"
systemctl start $vnic
forwards_again 0 "stopped and started"

step "heddle-vnic removed and purged: the configuration stays"
quiet dpkg --remove heddle-vnic
within 10 gone heddle-vnic
[ -s /var/lib/heddle-vnic/vnics ] || fail "what it has created is forgotten"
quiet dpkg --purge heddle-vnic
[ ! -e /var/lib/heddle-vnic ] || fail "/var/lib/heddle-vnic is left"
[ -s /etc/heddle/vnic.yaml ] || fail "the configuration is gone"
rm -r /etc/heddle
systemctl stop heddle.service fabric.service
rm /etc/default/heddle
