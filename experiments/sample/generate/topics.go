package main

// stage is one thing the person asks for and the actions that do it. An action is written
// "OP|role|name|value"; {slot} stands for the value that the episode drew.
type stage struct {
	say   string
	steps []string
}

// goal is what an episode is about: stages in order, the first vague, the last specific.
type goal struct {
	intent string
	stages []stage
}

// topic is one invented website of one Mind2Web domain. Menu holds links that tell the topic but
// not the goal; habit is a run of operations that is typical of such sites, on widgets that say
// nothing, so that a method that sees structure alone has something that words don't tell.
type topic struct {
	host, website, domain, subdomain string
	menu                             []string
	habit                            string
	slots                            map[string][]string
	goals                            []goal
}

// topics are two websites a domain; all names are invented and all hosts end in .example.
var topics = []topic{
	{"trains.railmark.example", "railmark", "Travel", "Ground",
		[]string{"Timetables", "Stations and platforms", "Season tickets", "Luggage rules"},
		"SELECT SELECT TYPE",
		map[string][]string{"from": {"Lindow", "Marbeck", "Oster Bay", "Fallholm"}, "to": {"Quarrytown", "Sandwick", "Nether Vale", "Highmoor"},
			"time": {"08:15", "12:40", "17:05"}, "class": {"first class", "standard", "quiet coach"}},
		[]goal{
			{"Book a {class} train from {from} to {to} leaving at {time}", []stage{
				{"I have to get to another town.", []string{"CLICK|link|Plan a journey", "CLICK|tab|One way"}},
				{"Look for a train from {from} to {to}.", []string{"TYPE|textbox|Departure station|{from}", "TYPE|textbox|Arrival station|{to}", "CLICK|button|Find trains"}},
				{"Take the {time} departure in {class}.", []string{"CLICK|row|Departs {time}", "SELECT|combobox|Class|{class}", "CLICK|button|Reserve seat"}}}},
			{"Check whether the {time} train from {from} is delayed", []stage{
				{"I am waiting for somebody at the station.", []string{"CLICK|link|Live departures"}},
				{"Open the board of {from}.", []string{"TYPE|textbox|Station|{from}", "CLICK|option|{from} Central"}},
				{"Tell me if the {time} one is late.", []string{"CLICK|row|Departs {time}", "CLICK|button|Delay details"}}}},
			{"Buy a monthly pass between {from} and {to} in {class}", []stage{
				{"I travel the same way every day now.", []string{"CLICK|link|Passes and railcards", "CLICK|tab|Monthly"}},
				{"It is between {from} and {to}.", []string{"TYPE|textbox|First station|{from}", "TYPE|textbox|Second station|{to}"}},
				{"Make it {class} and pay.", []string{"SELECT|combobox|Class|{class}", "CLICK|checkbox|Renew automatically", "CLICK|button|Buy pass"}}}},
		}},
	{"www.inncompass.example", "inncompass", "Travel", "Hotel",
		[]string{"Guest reviews", "City guides", "Loyalty nights", "Rooms with a view"},
		"SELECT SELECT SELECT",
		map[string][]string{"city": {"Port Ellery", "Dunmere", "Castel Ruvo", "Amberg"}, "nights": {"2 nights", "3 nights", "a week"}, "extra": {"breakfast", "a pool", "parking"}},
		[]goal{
			{"Reserve a hotel room in {city} for {nights} with {extra}", []stage{
				{"We want to stay somewhere.", []string{"CLICK|link|Stays", "SELECT|combobox|Guests|2 adults"}},
				{"Search for {city}, {nights}.", []string{"TYPE|searchbox|Where to|{city}", "SELECT|combobox|Length of stay|{nights}", "CLICK|button|Search rooms"}},
				{"It must have {extra}.", []string{"CLICK|checkbox|Filter {extra}", "CLICK|heading|Top rated room", "CLICK|button|Reserve"}}}},
			{"Compare the cheapest hotels in {city} that offer {extra}", []stage{
				{"I only want to look at prices for now.", []string{"CLICK|link|Stays", "SELECT|combobox|Sort by|Lowest price"}},
				{"The city is {city}.", []string{"TYPE|searchbox|Where to|{city}", "CLICK|button|Search rooms"}},
				{"Compare the ones with {extra}.", []string{"CLICK|checkbox|Filter {extra}", "CLICK|checkbox|Compare first", "CLICK|checkbox|Compare second", "CLICK|button|Show comparison"}}}},
			{"Change the booking in {city} to {nights}", []stage{
				{"I have a reservation already.", []string{"CLICK|link|My bookings"}},
				{"It is the one in {city}.", []string{"CLICK|row|Booking {city}", "CLICK|button|Modify dates"}},
				{"Make it {nights}.", []string{"SELECT|combobox|Length of stay|{nights}", "CLICK|button|Confirm change"}}}},
		}},
	{"shop.greenspade.example", "greenspade", "Shopping", "Garden",
		[]string{"Seasonal plants", "Pots and planters", "Garden advice", "Soil calculator"},
		"HOVER HOVER CLICK",
		map[string][]string{"tool": {"pruning shears", "watering can", "leaf rake", "hand trowel"}, "plant": {"lavender", "tomato seedlings", "fern", "climbing rose"}, "amount": {"2", "4", "6"}},
		[]goal{
			{"Order {amount} pots of {plant} for the balcony", []stage{
				{"The balcony looks empty.", []string{"CLICK|link|Plants", "HOVER|link|Balcony and patio"}},
				{"Find {plant}.", []string{"TYPE|searchbox|Search the nursery|{plant}", "CLICK|img|Photo of {plant}"}},
				{"Order {amount} of them.", []string{"SELECT|combobox|Quantity|{amount}", "CLICK|button|Add to basket", "CLICK|link|Checkout"}}}},
			{"Find the best rated {tool} and save it to the wish list", []stage{
				{"I need something for the garden work.", []string{"CLICK|link|Tools"}},
				{"Show me a {tool}.", []string{"TYPE|searchbox|Search the nursery|{tool}", "SELECT|combobox|Sort by|Rating"}},
				{"Save the best one.", []string{"CLICK|img|Photo of {tool}", "CLICK|tab|Customer ratings", "CLICK|button|Save to wish list"}}}},
			{"Read how to care for {plant} and buy a {tool}", []stage{
				{"My plants keep dying.", []string{"CLICK|link|Care guides"}},
				{"It is about {plant}.", []string{"CLICK|link|Guide: {plant}", "CLICK|tab|Watering and light"}},
				{"Then get me a {tool}.", []string{"TYPE|searchbox|Search the nursery|{tool}", "CLICK|img|Photo of {tool}", "CLICK|button|Add to basket"}}}},
		}},
	{"www.voltbarn.example", "voltbarn", "Shopping", "Digital",
		[]string{"Refurbished", "Trade in", "Spare parts", "Warranty extension"},
		"HOVER HOVER HOVER",
		map[string][]string{"item": {"headphones", "e-reader", "wireless keyboard", "action camera"}, "price": {"under 40", "under 80", "under 150"}, "colour": {"black", "white", "teal"}},
		[]goal{
			{"Buy {colour} {item} {price} dollars", []stage{
				{"I am looking for a gadget.", []string{"CLICK|link|All devices"}},
				{"Show {item}, {price}.", []string{"TYPE|searchbox|What are you looking for|{item}", "CLICK|button|Go", "CLICK|checkbox|Price {price}"}},
				{"The {colour} one, please.", []string{"CLICK|radio|Colour {colour}", "CLICK|button|Put in cart", "CLICK|button|Proceed to payment"}}}},
			{"Compare two {item} {price} dollars by battery life", []stage{
				{"Help me choose between devices.", []string{"CLICK|link|All devices", "CLICK|link|Comparison tool"}},
				{"They are {item}, {price}.", []string{"SELECT|combobox|Device type|{item}", "CLICK|checkbox|Price {price}"}},
				{"Which battery lasts longer?", []string{"CLICK|checkbox|Pick left", "CLICK|checkbox|Pick right", "CLICK|row|Battery life"}}}},
			{"Return the {colour} {item} bought last week", []stage{
				{"Something arrived broken.", []string{"CLICK|link|Orders and returns", "TYPE|textbox|Order number|VB-20814"}},
				{"It is the {item}.", []string{"CLICK|row|Ordered {item}", "CLICK|button|Start a return"}},
				{"The {colour} version; say it is defective.", []string{"SELECT|combobox|Variant|{colour}", "SELECT|combobox|Reason|Defective", "CLICK|button|Print label"}}}},
		}},
	{"www.reelhouse.example", "reelhouse", "Entertainment", "Movie",
		[]string{"Now showing", "Trailers", "Snack bar", "Film club"},
		"CLICK HOVER CLICK HOVER",
		map[string][]string{"film": {"The Glass Orchard", "Nine Quiet Miles", "Captain Turnip", "Salt Lanterns"}, "day": {"Friday", "Saturday", "Sunday"}, "row": {"row C", "row F", "the back row"}},
		[]goal{
			{"Book two seats in {row} for {film} on {day}", []stage{
				{"We want to go out this week.", []string{"CLICK|link|What's on", "CLICK|img|Poster wall"}},
				{"Look for {film} on {day}.", []string{"CLICK|img|Poster {film}", "CLICK|tab|{day}", "CLICK|button|Evening screening"}},
				{"Two seats in {row}.", []string{"CLICK|gridcell|Seat in {row}", "CLICK|gridcell|Next seat in {row}", "CLICK|button|Hold seats"}}}},
			{"Watch the trailer of {film} and read two reviews", []stage{
				{"I heard of some film.", []string{"CLICK|link|Trailers"}},
				{"It is called {film}.", []string{"CLICK|img|Poster {film}", "CLICK|button|Play trailer"}},
				{"What do the critics say?", []string{"CLICK|tab|Critics", "CLICK|article|First critic", "CLICK|article|Second critic"}}}},
			{"Give a cinema voucher for {film} as a present", []stage{
				{"I need a present.", []string{"CLICK|link|Gift cards"}},
				{"She likes {film}.", []string{"CLICK|img|Poster {film}", "CLICK|radio|Voucher with film"}},
				{"Send it on {day}.", []string{"SELECT|combobox|Delivery day|{day}", "TYPE|textbox|Greeting|Enjoy the film", "CLICK|button|Pay voucher"}}}},
		}},
	{"tickets.stagedoor.example", "stagedoor", "Entertainment", "Event",
		[]string{"Venues near you", "Artists A to Z", "Resale", "Accessible seating"},
		"CLICK HOVER CLICK",
		map[string][]string{"artist": {"The Paper Kites Club", "Orla Venn", "Brass Meridian", "DJ Saltbox"}, "town": {"Dunmere", "Oster Bay", "Highmoor"}, "seat": {"standing", "balcony", "front stalls"}},
		[]goal{
			{"Get {seat} tickets for {artist} in {town}", []stage{
				{"There is a concert I must not miss.", []string{"CLICK|link|Concerts", "CLICK|link|On sale soon"}},
				{"{artist} in {town}.", []string{"TYPE|searchbox|Artist or venue|{artist}", "CLICK|option|{artist}", "CLICK|row|Show in {town}"}},
				{"Tickets for {seat}.", []string{"CLICK|path|Hall plan {seat}", "SELECT|combobox|Number of tickets|2", "CLICK|button|Get tickets"}}}},
			{"Follow {artist} and set an alert for shows in {town}", []stage{
				{"I want to know about music near me.", []string{"CLICK|link|Artists A to Z"}},
				{"Find {artist}.", []string{"TYPE|searchbox|Artist or venue|{artist}", "CLICK|option|{artist}", "CLICK|button|Follow"}},
				{"Alert me for {town}.", []string{"CLICK|switch|Show alerts", "TYPE|textbox|Town|{town}", "CLICK|button|Save alert"}}}},
			{"Sell the {seat} ticket for {artist} on the resale page", []stage{
				{"I can't go after all.", []string{"CLICK|link|My tickets"}},
				{"It is {artist}.", []string{"CLICK|row|Ticket {artist}", "CLICK|button|Offer for resale"}},
				{"{seat}, at the price I paid.", []string{"CLICK|radio|Section {seat}", "TYPE|textbox|Price|45", "CLICK|button|List ticket"}}}},
		}},
	{"www.skyledger.example", "skyledger", "Info", "Weather",
		[]string{"Rain radar", "Pollen and air", "Mountain report", "Climate diary"},
		"TYPE SELECT TYPE",
		map[string][]string{"place": {"Highmoor", "Port Ellery", "Sandwick", "Castel Ruvo"}, "when": {"tomorrow", "the weekend", "next week"}, "what": {"wind", "frost", "rainfall"}},
		[]goal{
			{"Check the {what} forecast for {place} {when}", []stage{
				{"We are planning something outdoors.", []string{"CLICK|link|Forecast"}},
				{"What about {place}, {when}?", []string{"TYPE|searchbox|Place|{place}", "CLICK|option|{place}", "CLICK|tab|Outlook {when}"}},
				{"Mainly the {what}.", []string{"CLICK|button|Layer {what}", "CLICK|row|Hourly {what}"}}}},
			{"Set a {what} warning by mail for {place}", []stage{
				{"I don't want to be surprised again.", []string{"CLICK|link|Warnings", "CLICK|button|New warning"}},
				{"For {place}.", []string{"TYPE|textbox|Warning place|{place}", "CLICK|option|{place}"}},
				{"Warn me of {what}.", []string{"SELECT|combobox|Warning type|{what}", "TYPE|textbox|Mail|me@post.example", "CLICK|button|Activate"}}}},
			{"Compare last year's {what} in {place} with the average", []stage{
				{"I need some numbers for a talk.", []string{"CLICK|link|Climate diary", "CLICK|link|Archive"}},
				{"The station is {place}.", []string{"SELECT|combobox|Measuring station|{place}", "SELECT|combobox|Year|Last year"}},
				{"{what}, against the average.", []string{"CLICK|radio|Quantity {what}", "CLICK|checkbox|Thirty year mean", "CLICK|button|Draw chart"}}}},
		}},
	{"catalog.quietshelf.example", "quietshelf", "Info", "Library",
		[]string{"Opening hours", "Reading rooms", "New arrivals", "Ask a librarian"},
		"TYPE SELECT TYPE SELECT",
		map[string][]string{"author": {"Ines Falk", "T. R. Dunmore", "Mirela Sow", "Kazuo Brandt"}, "kind": {"novel", "audiobook", "atlas"}, "branch": {"Harbour branch", "North branch", "Main hall"}},
		[]goal{
			{"Reserve the {kind} by {author} for pickup at the {branch}", []stage{
				{"I would like something to read.", []string{"CLICK|link|Catalogue", "CLICK|tab|Advanced"}},
				{"A {kind} by {author}.", []string{"TYPE|textbox|Author|{author}", "SELECT|combobox|Medium|{kind}", "CLICK|button|Search shelves"}},
				{"I pick it up at the {branch}.", []string{"CLICK|link|Title by {author}", "CLICK|button|Place hold", "SELECT|combobox|Pickup at|{branch}"}}}},
			{"Renew the {kind} by {author} that is due this week", []stage{
				{"I got a reminder.", []string{"CLICK|link|My account", "TYPE|textbox|Card number|4471"}},
				{"It is the {kind}.", []string{"CLICK|link|Loans", "CLICK|checkbox|Loan {kind}"}},
				{"By {author}; renew it.", []string{"CLICK|row|Title by {author}", "CLICK|button|Renew"}}}},
			{"Find a study room in the {branch} and its equipment", []stage{
				{"I need a place to work.", []string{"CLICK|link|Reading rooms"}},
				{"In the {branch}.", []string{"SELECT|combobox|Branch|{branch}", "CLICK|button|Show rooms"}},
				{"What is in the room?", []string{"CLICK|row|Room with screen", "CLICK|tab|Equipment", "CLICK|button|Book room"}}}},
		}},
	{"www.clinicdesk.example", "clinicdesk", "Service", "Health",
		[]string{"Our doctors", "Emergency numbers", "Patient forms", "Insurance"},
		"TYPE TYPE TYPE",
		map[string][]string{"doctor": {"Dr. Albrecht", "Dr. Nakano", "Dr. Osei"}, "reason": {"a vaccination", "back pain", "an eye test"}, "slot": {"Monday morning", "Tuesday noon", "Thursday evening"}},
		[]goal{
			{"Make an appointment with {doctor} for {reason} on {slot}", []stage{
				{"I have to see somebody.", []string{"CLICK|link|Appointments", "SELECT|combobox|Patient type|Returning"}},
				{"With {doctor}, for {reason}.", []string{"SELECT|combobox|Doctor|{doctor}", "SELECT|combobox|Reason of visit|{reason}"}},
				{"{slot} would be good.", []string{"CLICK|gridcell|{slot}", "TYPE|textbox|Phone|555 0142", "CLICK|button|Confirm appointment"}}}},
			{"Move the appointment with {doctor} to {slot}", []stage{
				{"I can't come on the day we said.", []string{"CLICK|link|My visits"}},
				{"It was with {doctor}.", []string{"CLICK|row|Visit {doctor}", "CLICK|button|Reschedule"}},
				{"Move it to {slot}.", []string{"CLICK|gridcell|{slot}", "CLICK|button|Confirm new time"}}}},
			{"Ask {doctor} for a prescription because of {reason}", []stage{
				{"I have a question that can't wait.", []string{"CLICK|link|Messages", "CLICK|button|Write message"}},
				{"To {doctor}.", []string{"SELECT|combobox|Recipient|{doctor}", "SELECT|combobox|Subject|Prescription"}},
				{"It is about {reason}.", []string{"TYPE|textbox|Message|Because of {reason}", "CLICK|checkbox|I consent", "CLICK|button|Send message"}}}},
		}},
	{"www.boxandvan.example", "boxandvan", "Service", "Moving",
		[]string{"Packing tips", "Storage units", "Insurance", "Driver jobs"},
		"TYPE TYPE TYPE CLICK",
		map[string][]string{"size": {"one room", "two rooms", "a house"}, "town": {"Marbeck", "Fallholm", "Amberg", "Lindow"}, "help": {"two helpers", "boxes", "a piano lift"}},
		[]goal{
			{"Get a quote for moving {size} to {town} with {help}", []stage{
				{"We are going to leave the flat.", []string{"CLICK|link|Instant quote"}},
				{"{size}, to {town}.", []string{"CLICK|radio|Household {size}", "TYPE|textbox|New address|{town}", "TYPE|textbox|Old address|Mill Lane 4"}},
				{"And {help}.", []string{"CLICK|checkbox|Add {help}", "CLICK|button|Calculate", "CLICK|button|Mail the quote"}}}},
			{"Rent a van in {town} for {size}", []stage{
				{"We would drive ourselves.", []string{"CLICK|link|Van rental", "CLICK|tab|By the day"}},
				{"Pick up in {town}.", []string{"TYPE|textbox|Pickup depot|{town}", "CLICK|option|Depot {town}"}},
				{"Big enough for {size}.", []string{"CLICK|radio|Load {size}", "CLICK|row|Suggested van", "CLICK|button|Rent van"}}}},
			{"Book {help} for an existing move to {town}", []stage{
				{"Our move is booked, but something is missing.", []string{"CLICK|link|My move", "TYPE|textbox|Move number|M-7703"}},
				{"The one to {town}.", []string{"CLICK|row|Move to {town}", "CLICK|button|Extras"}},
				{"We need {help}.", []string{"CLICK|checkbox|Add {help}", "CLICK|button|Update move"}}}},
		}},
}

// everywhere are actions that any website offers: they tell nothing, and most episodes begin so.
var everywhere = []string{
	"CLICK|button|Accept all cookies", "CLICK|button|Only necessary cookies", "CLICK|link|Home", "CLICK|button|Menu",
	"CLICK|button|Sign in", "CLICK|button|Close banner", "CLICK|link|Help", "CLICK|button|Maybe later",
	"CLICK|link|Language: English", "CLICK|svg|", "CLICK|button|Newsletter: no thanks",
}

// fields are what habits fill in, panels what they point at or press.
var (
	fields = []string{"spinbutton|Field 1", "spinbutton|Field 2", "listbox|Options", "slider|Value"}
	panels = []string{"img|Picture", "region|Panel", "figure|Preview", "group|Section"}
)
