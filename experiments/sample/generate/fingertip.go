package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strings"
	"time"
)

// wish is one intent class of the FingerTip sample with its app and its ways to say and do it.
// A step is "click 内容", "type 文字", "scroll up" or a bare press such as "press_back".
type wish struct {
	class, app string
	scenarios  []string // where it mostly happens
	values     []string // fill {}
	habit      []string // what one does in such an app whatever one wants
	ways       []way
}

type way struct {
	description string
	steps       []string
}

// wishes are invented; the app packages do not exist.
var wishes = []wish{
	{"闹钟/计时", "com.sample.clock", []string{"住所", "学校"}, []string{"二十分钟", "早上七点", "半小时"}, []string{"scroll up", "scroll up", "scroll down"}, []way{
		{"打开时钟，设置一个{}的闹钟", []string{"click 时钟图标", "click 闹钟", "click 加号按钮", "scroll up", "click 时间滚轮{}", "click 保存"}},
		{"用计时器倒数{}", []string{"click 时钟图标", "click 计时器", "scroll up", "click 时间滚轮{}", "click 开始"}}}},
	{"外卖点餐", "com.sample.meal", []string{"办公场所", "住所"}, []string{"牛肉面", "麻辣烫", "奶茶", "盖浇饭"}, []string{"click 好评优先", "scroll up", "click 满减", "scroll up"}, []way{
		{"打开外卖软件，点一份{}送到公司", []string{"click 外卖图标", "click 搜索商家", "type {}", "click 店铺{}", "click 加入购物车", "click 去结算"}},
		{"查看{}外卖的配送进度", []string{"click 外卖图标", "click 订单", "click 订单{}", "click 查看骑手位置"}}}},
	{"打车出行", "com.sample.ride", []string{"城市街道", "交通工具", "办公场所"}, []string{"火车站", "机场", "体育馆", "市图书馆"}, []string{"type 当前位置", "type 一人"}, []way{
		{"打一辆车去{}", []string{"click 出行图标", "click 您要去哪儿", "type {}", "click 地点{}", "click 快车", "click 呼叫"}},
		{"查询从家到{}的公交路线", []string{"click 出行图标", "click 公交", "type {}", "click 地点{}", "scroll up", "click 路线详情"}}}},
	{"音乐播放", "com.sample.tune", []string{"交通工具", "住所", "运动场馆"}, []string{"轻音乐", "民谣", "跑步歌单"}, []string{"long_click 封面", "click 歌词", "long_click 歌词"}, []way{
		{"打开音乐软件播放{}", []string{"click 音乐图标", "click 搜索歌曲", "type {}", "click 播放全部{}", "click 循环播放"}},
		{"收藏一首{}并下载", []string{"click 音乐图标", "click 推荐", "scroll down", "click 歌曲{}", "click 红心", "click 下载"}}}},
	{"网络购物", "com.sample.mall", []string{"住所", "商场"}, []string{"运动鞋", "台灯", "雨伞", "保温杯"}, []string{"scroll up", "long_click 图片", "scroll up", "long_click 图片"}, []way{
		{"在购物软件里搜索{}并加入购物车", []string{"click 商城图标", "click 搜索商品", "type {}", "click 价格排序", "click 商品{}", "click 加入购物车"}},
		{"查看买的{}的物流信息", []string{"click 商城图标", "click 我的订单", "click 商品{}", "click 查看物流"}}}},
	{"聊天社交", "com.sample.talk", []string{"学校", "餐饮场所", "办公场所"}, []string{"周末聚餐", "明天开会", "生日快乐"}, []string{"type 在吗", "press_back", "type 你好"}, []way{
		{"给好友发消息说{}", []string{"click 聊天图标", "click 联系人", "click 输入框", "type {}", "click 发送"}},
		{"在朋友圈发布关于{}的动态", []string{"click 聊天图标", "click 发现", "click 相机", "type {}", "click 发表"}}}},
	{"天气查询", "com.sample.sky", []string{"自然户外", "城市街道", "住所"}, []string{"明天", "周末", "未来三天"}, []string{"press_back", "scroll left", "press_back"}, []way{
		{"查看{}的天气预报", []string{"click 天气图标", "scroll up", "click 预报{}", "click 降雨概率"}},
		{"看看{}的空气质量如何", []string{"click 天气图标", "click 空气质量", "click 预报{}"}}}},
}

// strays tell nothing about what is wanted.
var strays = []string{"click 跳过广告", "click 关闭弹窗", "click 稍后提醒", "scroll up", "press_home", "click 返回首页", "click 允许", "click 搜索", "click 我的", "wait", "click 同意"}

// person is one line of user_profile.csv.
type person struct{ id, sex, age, occupation, address, family, phone string }

// csvRow is one episode line.
type csvRow struct{ user, time, scenario, app, description, class, length string }

// fingerTip writes total.csv, user_profile.csv and a raw folder for three episodes in four.
func fingerTip(w *writer) {
	people := make([]person, 14)
	for i := range people {
		rng := source("fingertip user", fmt.Sprint(i))
		people[i] = person{fmt.Sprint(901 + 2*i), pick(rng, []string{"男", "女"}), fmt.Sprint(18 + rng.Intn(40)), pick(rng, []string{"学生", "教师", "程序员", "销售", "退休"}),
			pick(rng, []string{"示例市东区", "示例市西区", "样本县"}), pick(rng, []string{"独居", "与父母同住", "三口之家"}), pick(rng, []string{"SampleA", "SampleB"})}
	}
	profiles := [][]string{{"user_id", "sex", "age", "occupation", "address", "family", "phone_brand"}}
	for _, p := range people {
		profiles = append(profiles, []string{p.id, p.sex, p.age, p.occupation, p.address, p.family, p.phone})
	}
	rows := [][]string{{"user_id", "time", "scenario", "app", "intentDescription", "intentClass", "action_length"}}
	for i, label := range deal(84, []int{5, 4, 4, 3, 3, 3, 3}) {
		// 5 and 14 have no common factor, so every person gets six rows of mixed classes.
		r := fingerTipRow(w, i, people[i*5%len(people)], wishes[label])
		rows = append(rows, []string{r.user, r.time, r.scenario, r.app, r.description, r.class, r.length})
	}
	w.csv("fingertip/user_profile.csv", profiles)
	w.csv("fingertip/total.csv", rows)
}

// fingerTipRow draws one episode, writes its raw folder unless it is one of those without, and
// returns its CSV line.
func fingerTipRow(w *writer, i int, p person, wish wish) csvRow {
	rng := source("fingertip", fmt.Sprint(i))
	value, chosen := pick(rng, wish.values), pick(rng, wish.ways)
	with := func(s string) string { return strings.ReplaceAll(s, "{}", value) }
	at := time.Date(2026, 3, 2+i%27, 7+rng.Intn(15), rng.Intn(60), i%60, 0, time.FixedZone("UTC+8", 8*3600))
	scenario := pick(rng, wish.scenarios)
	if chance(rng, 25) {
		scenario = pick(rng, []string{"住所", "学校", "其他"})
	}
	var calls []string
	stretch := lengthOf(i)
	if stretch != single {
		n := rng.Intn(4)
		if stretch == wandering {
			n = 27 + rng.Intn(5)
		}
		for range n {
			calls = append(calls, call(pick(rng, strays), "strays"))
		}
	}
	for n, s := range chosen.steps {
		if stretch == single {
			calls = []string{call(with(chosen.steps[2]), wish.app)}
			break
		}
		if chance(rng, 20) {
			calls = append(calls, call(pick(rng, strays), "strays"))
		}
		calls = append(calls, call(with(s), wish.app))
		if n > 0 && chance(rng, 45) {
			for _, h := range wish.habit {
				calls = append(calls, call(h, wish.app))
			}
		}
	}
	if stretch != single {
		calls = append(calls, "finished()")
	}
	row := csvRow{p.id, at.Format("20060102_150405"), scenario, wish.app, with(chosen.description), wish.class, fmt.Sprint(len(calls))}
	if i%4 == 3 && stretch == middling { // known by its CSV line only, as most of the real test rows are
		return row
	}
	dir := fmt.Sprintf("fingertip/Raw/%s/%s/", row.user, row.time)
	var lines bytes.Buffer
	for n, c := range calls {
		lines.Write(line(map[string]string{fmt.Sprintf("%d.jpg", at.UnixMilli()+int64(n)*2500+1200): c}))
	}
	w.bytes(dir+"action.jsonl", lines.Bytes())
	w.json(dir+"survey_result.json", map[string]string{"user_id": row.user, "time": row.time, "scenario": row.scenario, "app": row.app, "intentDescription": row.description}, "  ")
	return row
}

// call writes a step in the call grammar of action.jsonl.
func call(step, layout string) string {
	name, rest, _ := strings.Cut(step, " ")
	x, y := place(layout, rest)
	switch name {
	case "click", "long_click":
		return fmt.Sprintf(name+"(coordinates=(%d, %d), content='%s')", x, y*2, rest)
	case "type":
		return fmt.Sprintf("type(text='%s')", rest)
	case "scroll":
		return fmt.Sprintf("scroll(coordinates=(%d, %d), direction='%s')", 540, 1200, rest)
	}
	return name + "()"
}

// csv writes records with the line ends and the byte-order mark that the real profile file has.
func (w *writer) csv(name string, records [][]string) {
	var b bytes.Buffer
	b.WriteString("\ufeff")
	c := csv.NewWriter(&b)
	if err := c.WriteAll(records); err != nil {
		w.fail(name, err)
		return
	}
	w.bytes(name, b.Bytes())
}
